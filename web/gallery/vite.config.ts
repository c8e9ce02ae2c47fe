import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// URLs are relative, so that any web server can serve the files from any folder.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  build: { target: 'es2022', chunkSizeWarningLimit: 2000, assetsInlineLimit: 0 },
});
