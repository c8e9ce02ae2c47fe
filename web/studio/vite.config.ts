import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const NOTHING = fileURLToPath(new URL('src/import/nothing.ts', import.meta.url));

// URLs are relative, so that `limber studio` and any web server can serve the files from any folder.
export default defineConfig({
  base: './',
  build: { target: 'es2022', chunkSizeWarningLimit: 2000, assetsInlineLimit: 0 },
  worker: { format: 'es' },
  resolve: { alias: { fs: NOTHING, path: NOTHING } }, // Draco's decoder asks for them where node runs it
  server: { fs: { allow: ['..'] } },
  optimizeDeps: { exclude: ['limber'] },
});
