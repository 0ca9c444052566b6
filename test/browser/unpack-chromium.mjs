// This script unpacks Chromium and the libraries it needs into the temporary directory of its environment.
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
