import { defineConfig } from 'vite'

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    target: 'es2022',
    // Nothing inline, so that the page runs under a policy that allows its own files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `vite dev` beside an api on its usual port.
  server: { proxy: { '/v1': 'http://127.0.0.1:7070' } },
})
