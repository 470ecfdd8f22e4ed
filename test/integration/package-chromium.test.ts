import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { beforeAll, describe, expect, test } from 'vitest'
import { testChromiumArguments, ensureChromium } from '../../scripts/lib/chromium.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const project = resolve(import.meta.dirname, '../..')
const MB = 1_000_000
const run = promisify(execFile)

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

let folder: string
let packed: Packed
let command: string
let cleanEnvironment: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = temporaryFolder()
  // Only the user's npm settings and cache stay available: registry access, and 50 MB that needn't
  // be downloaded again.
  const [userconfig, cache] = await Promise.all(
    ['userconfig', 'cache'].map(async (name) =>
      (await run('npm', ['config', 'get', name], { cwd: project })).stdout.trim(),
    ),
  )
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_'))
  cleanEnvironment = {
    ...Object.fromEntries(inherited),
    HOME: join(folder, 'home'),
    npm_config_userconfig: userconfig,
    npm_config_cache: cache,
    npm_config_prefer_offline: 'true',
  }
  await mkdir(join(folder, 'home'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: project,
  })
  packed = (JSON.parse(stdout) as [Packed])[0]
  const empty = join(folder, 'empty')
  await mkdir(empty)
  await run('npm', ['install', '--no-save', '--prefix', empty, join(folder, packed.filename)], {
    cwd: empty,
    env: cleanEnvironment,
  })
  command = join(empty, 'node_modules/countersign/bin/countersign.mjs')
})

describe('the package', () => {
  test('contains everything it needs to run, with the licenses of bundled code, in at most 8 MB', () => {
    const paths = packed.files.map(({ path }) => path)
    // npm adds package.json, the README, the license and the file that "main" names.
    const outside = paths.filter((path) => !/^(bin|docs|out\/(library|node|renderer))\//.test(path))
    expect(outside.toSorted()).toEqual([
      'AGENTS.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'countersign.schema.json',
      'out/main/index.js',
      'package.json',
      'skills/countersign/SKILL.md',
    ])
    expect(paths).toEqual(
      expect.arrayContaining([
        'out/node/licenses.md',
        'out/renderer/licenses.txt',
        'out/node/cli.js',
        'docs/query.md',
        'docs/flow.schema.json',
      ]),
    )
    expect(packed.size).toBeLessThanOrEqual(8 * MB)
  })

  test('contains every page and picture that its pages link to', () => {
    const paths = packed.files.map(({ path }) => path)
    const links = paths
      .filter((path) => path.endsWith('.md') && !path.startsWith('out/'))
      .flatMap((page) => {
        const text = readFileSync(join(project, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '')
        return [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link = '']) => ({ page, link }))
      })
      .filter(({ link }) => !/^(?:https?|mailto):/.test(link))
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter(({ page, link }) => !paths.includes(join(dirname(page), link)))).toEqual([])
  })

  test('names every bundled library in its licenses', () => {
    const licenses = ['out/node/licenses.md', 'out/renderer/licenses.txt'].map((file) =>
      readFileSync(join(project, file), 'utf8'),
    )
    for (const library of ['commander', 'fastify', 'undici', 'ws', 'zod'])
      expect(licenses[0]).toContain(`## ${library} - `)
    for (const library of ['react', '@base-ui/react', 'lucide-react', 'zustand'])
      expect(licenses[1]).toContain(`## ${library} - `)
  })
})

test('installed in an empty folder with a fresh home, serve opens the first page in a browser', async () => {
  const ports = ['--receiver-port', '0', '--ui-port', '0', '--sandbox-port', '0']
  const child: ChildProcess = spawn(
    process.execPath,
    [command, 'serve', '--no-open', '--json', ...ports],
    {
      env: cleanEnvironment,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const closed = once(child, 'close')
  const browser = await chromium.launch({
    executablePath: (await ensureChromium()) ?? undefined,
    chromiumSandbox: false,
    args: testChromiumArguments,
  })
  try {
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
    const page = await browser.newPage()
    await page.goto((JSON.parse(line) as { ui: string }).ui)
    await page.getByRole('navigation').getByText('Deliveries').waitFor()
    expect(await page.title()).toContain('Countersign')
  } finally {
    await browser.close()
    child.kill('SIGTERM')
    await closed
  }
})
