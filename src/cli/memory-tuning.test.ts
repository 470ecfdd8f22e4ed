import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

let folder: string
let entry: string

beforeAll(() => {
  folder = temporaryFolder()
  entry = join(folder, 'entry.mjs')
  writeFileSync(
    entry,
    `import { applyMemorySettings } from ${JSON.stringify(new URL('./memory-tuning.ts', import.meta.url).href)}
     const begunWith = Object.keys(process.env).filter((name) => name.startsWith('MALLOC_'))
     applyMemorySettings(${JSON.stringify(pathToFileURL(entry).href)})
     const left = Object.keys(process.env).filter((name) => name.startsWith('MALLOC_'))
     const { argv, execArgv, pid } = process
     console.log(JSON.stringify({ words: argv.slice(2), flags: execArgv, pid, begunWith, left, kept: process.env.KEPT }))`,
  )
})

async function begin() {
  const child = spawn(process.execPath, ['--no-deprecation', entry, 'serve', '--data', 'a b'], {
    env: { PATH: process.env['PATH'] ?? '', KEPT: 'yes' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { pid: child.pid, problems, output: JSON.parse(output) as Record<string, unknown> }
}

test.skipIf(process.platform === 'win32')(
  "restarts as the same process with allocator settings that child processes don't inherit",
  async () => {
    const { pid, problems, output } = await begin()
    expect(problems).toBe('')
    expect(output).toMatchObject({ pid, words: ['serve', '--data', 'a b'], left: [], kept: 'yes' })
    expect(output['flags']).toEqual(['--heap-growing-percent=50', '--no-deprecation'])
    expect(output['begunWith']).toHaveLength(3)
  },
)
