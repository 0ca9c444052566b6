// The root of the package: it holds the models, the documentation, the console and the parts of generated clients.

/** This file is two directories below it as a source (`src/base`), compiled (`dist/base`) and joined with others (`dist/program`). */
export const PACKAGE_ROOT = new URL('../../', import.meta.url);
