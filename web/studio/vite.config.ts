import { defineConfig } from 'vite';

// URLs are relative, so that `limber studio` and any web server can serve the files from any folder.
export default defineConfig({
  base: './',
  build: { target: 'es2022', chunkSizeWarningLimit: 2000, assetsInlineLimit: 0 },
  worker: { format: 'es' },
  server: { fs: { allow: ['..'] } },
  optimizeDeps: { exclude: ['limber'] },
});
