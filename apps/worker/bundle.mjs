// Bundles the worker's two entry points: one file each instead of a thousand modules, so that a worker starts in well
// under a second. What is native, loads its own files or is rarely needed stays outside.
import { cpSync, readFileSync } from 'node:fs'
import { build } from 'esbuild'

/** Lua scripts are read beside the module that names them; in the bundle all of them lie in dist/lua. */
const luaBeside = {
  name: 'lua-beside',
  setup({ onLoad }) {
    onLoad({ filter: /libs\/(jobs|buffer)\/dist\/.*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll("new URL('../lua/", "new URL('./lua/"),
    }))
  },
}

await build({
  entryPoints: ['src/main.ts', 'src/compute-thread.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  external: ['sharp', '@julusian/*', '@node-rs/*', 'piscina', 'pino', '@aws-sdk/*', '@smithy/*'],
  plugins: [luaBeside],
  // Bundled CommonJS packages call require for Node's own modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
})
for (const lib of ['jobs', 'buffer']) cpSync(`../../libs/${lib}/lua`, 'dist/lua', { recursive: true })
