/**
 * Builds the desktop app: main with the workers of the store, the preload as CommonJS (it is
 * sandboxed), and the renderer bundle.
 */
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

export default defineConfig({
  main: {
    build: {
      externalizeDeps: { exclude: [] },
      // The build script makes the notices of the installed app from it.
      license: { fileName: 'licenses.json' },
      rolldownOptions: {
        // Names are kept for stack traces in the log.
        output: { minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } } },
        input: {
          index: 'src/main/index.ts',
          writer: 'src/core/store/writer-thread.ts',
          reader: 'src/core/store/reader-thread.ts',
          search: 'src/core/store/search/search-thread.ts',
          diagnosis: 'src/core/signature/diagnosis-thread.ts',
          shrink: 'src/core/shrinking/shrink-thread.ts',
          encryption: 'src/core/sharing/encryption-thread.ts',
          'system-authorities': 'src/core/outgoing/wire/system-authorities-thread.ts',
        },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: 'src/preload/index.ts',
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    plugins: [react(), tailwindcss()],
    // No `data:` URLs: the content policy allows fonts from the app only.
    build: { minify: true, assetsInlineLimit: 0, license: { fileName: 'licenses.json' } },
  },
})
