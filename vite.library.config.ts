/**
 * Builds the package's library entries with their types. They run in the user's Node, without other
 * packages.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'
import { typesText } from './src/core/types/types.ts'

const entries = ['index', 'payloads', 'signature', 'testing'] as const

/**
 * Returns the declarations of an entry as the compiler emits them, which import only other entries.
 */
function emitted(folder: string, entry: string): string {
  const text = readFileSync(join(folder, 'library', `${entry}.d.ts`), 'utf8')
  return text.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'")
}

/**
 * Returns the declarations of `payloads.ts` without zod: the types that "countersign types" prints,
 * then the value.
 */
function payloadDeclarations(text: string): string {
  return `${typesText('typescript')}\n${text.slice(text.lastIndexOf('/**'))}`
}

function declarations(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join('out', '.types-'))
  try {
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        'node_modules/typescript/bin/tsc',
        ...['-p', 'src/library', '--noEmit', 'false', '--emitDeclarationOnly', '--declaration'],
        ...['--rootDir', 'src', '--outDir', folder],
      ],
      { encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(stdout)
    const all = new Map(entries.map((entry) => [entry, emitted(folder, entry)]))
    return all.set('payloads', payloadDeclarations(all.get('payloads') ?? ''))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export default defineConfig({
  plugins: [
    {
      name: 'types',
      generateBundle() {
        for (const [name, source] of declarations())
          this.emitFile({ type: 'asset', fileName: `${name}.d.ts`, source })
      },
    },
  ],
  build: {
    ssr: true,
    outDir: 'out/library',
    target: 'node20',
    rolldownOptions: {
      input: Object.fromEntries(entries.map((name) => [name, `src/library/${name}.ts`])),
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        // Readable in the user's debugger.
        minify: false,
      },
    },
  },
})
