/**
 * Builds the plain Node host: the command line and the workers of the store. It can't import
 * Electron.
 */
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [
    {
      name: 'no-electron',
      enforce: 'pre',
      resolveId(id, importer) {
        if (id === 'electron' || id.startsWith('electron/'))
          this.error(`The Node host can't import electron: ${importer ?? id}`)
      },
    },
    {
      // A single character beyond Latin-1 makes V8 store the whole file in two bytes per character.
      name: 'ascii',
      generateBundle(_options, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'chunk')
            file.code = file.code.replaceAll(
              /[^\0-\x7f]/g,
              (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
            )
      },
    },
  ],
  ssr: { noExternal: true, external: ['better-sqlite3', '@napi-rs/keyring'] },
  build: {
    ssr: true,
    outDir: 'out/node',
    target: 'node24',
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: {
        cli: 'src/cli/index.ts',
        // A separate entry for the tests, which run commands without a new process.
        'command-line': 'src/cli/command-line.ts',
        writer: 'src/core/store/writer-thread.ts',
        reader: 'src/core/store/reader-thread.ts',
        search: 'src/core/store/search/search-thread.ts',
        diagnosis: 'src/core/signature/diagnosis-thread.ts',
        shrink: 'src/core/shrinking/shrink-thread.ts',
        encryption: 'src/core/sharing/encryption-thread.ts',
      },
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        // Names are kept for stack traces in the log. Whitespace is removed, because the source
        // stays in memory while the program runs.
        minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
      },
    },
  },
})
