import { defineConfig } from 'vite';

// Addresses are relative: the same files are served by `limber studio` and by any web server, from any folder.
export default defineConfig({
  base: './',
  build: { target: 'es2022', chunkSizeWarningLimit: 2000, assetsInlineLimit: 0 },
  server: { fs: { allow: ['..'] } },
  optimizeDeps: { exclude: ['limber'] },
});
