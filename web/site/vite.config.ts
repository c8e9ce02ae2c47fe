import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (name: string) => fileURLToPath(new URL(name, import.meta.url));

// Scripts and styles only: scripts/build.mjs writes the pages. URLs are relative, for any host and any folder.
export default defineConfig({
  root: at('.'),
  base: './',
  logLevel: 'warn',
  build: {
    target: 'es2022',
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    assetsInlineLimit: 0,
    rollupOptions: { input: { page: at('src/page.ts'), home: at('src/home.ts') } },
  },
  worker: { format: 'es' },
  resolve: { alias: { fs: at('../studio/src/import/nothing.ts'), path: at('../studio/src/import/nothing.ts') } },
});
