// This file builds the console into console/dist: chunks per screen, with a nonce placeholder for the Content-Security-Policy, and
// compressed copies beside the assets. The service replaces the placeholders when it serves index.html.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Bytes. Smaller files are not worth a compressed copy. */
const SMALL = 1024;

/** Writes NAME.br and NAME.gz for each asset. */
function compressed() {
  const assets = `${root}dist/assets/`;
  return {
    name: 'compressed',
    closeBundle() {
      for (const name of readdirSync(assets)) {
        const content = readFileSync(assets + name);
        if (content.length < SMALL || !/\.(?:js|css|svg|json)$/.test(name)) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
        writeFileSync(`${assets}${name}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${assets}${name}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  root,
  // Chunks refer to each other by relative paths, so that the console works below any path.
  base: './',
  cacheDir: `${root}node_modules/.vite`,
  html: { cspNonce: '__NONCE__' },
  plugins: [react(), compressed()],
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // Fonts and images as files: data URLs would need a weaker policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
