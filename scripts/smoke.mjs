/**
 * `npm run smoke`: starts the packaged app in `dist/` with `--self-test` and prints its checks
 * (docs/contributing/desktop-internals.md). Exits with 0 if all passed, 1 if not, and 3 without a
 * packaged app.
 *
 *   --app FILE               starts this program instead, such as an installed one
 *   --secrets keyring|file   fails if secrets aren't stored there
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** Paths where electron-builder puts the app before it makes installers. */
const unpacked = {
  darwin: 'mac*/Countersign.app/Contents/MacOS/Countersign',
  win32: 'win*-unpacked/Countersign.exe',
  linux: 'linux*-unpacked/countersign',
}
/** Milliseconds for the whole run; Chromium can hang before the app's own limit applies. */
const LONGEST_MS = 150_000

const { values } = parseArgs({ options: { app: { type: 'string' }, secrets: { type: 'string' } } })
const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const [unpackedApp] = globSync(unpacked[process.platform] ?? [], { cwd: dist }).map((name) =>
  join(dist, name),
)
const app = values.app ?? unpackedApp
if (app === undefined) {
  console.error(`No packaged app in ${dist}. Create one with "npm run package -- --dir".`)
  process.exit(3)
}

const child = spawn(app, ['--self-test'], { stdio: ['ignore', 'pipe', 'pipe'] })
let printed = ''
let complained = ''
child.stdout.on('data', (chunk) => (printed += chunk))
child.stderr.on('data', (chunk) => (complained += chunk))
const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
const [code, signal] = await once(child, 'close').catch((error) => {
  console.error(`Couldn't start ${app}: ${error.message}`)
  process.exit(1)
})
clearTimeout(timer)

const line = printed.split(/\r?\n/).find((text) => text.startsWith('{"selfTest"'))
if (line === undefined) {
  console.error(complained.trimEnd().split('\n').slice(-20).join('\n'))
  console.error(`${app} ended without a report (${signal ?? `exit code ${code}`}).`)
  process.exit(1)
}
const { checks, version, electron, platform, arch, packaged, ms } = JSON.parse(line)
if (values.secrets !== undefined) {
  const backend = checks.find(({ check }) => check === 'secrets')?.detail
  checks.push({
    check: `secrets in ${values.secrets}`,
    ok: backend === values.secrets,
    ms: 0,
    detail: backend,
  })
}
const title = `Countersign ${version}, Electron ${electron ?? 'unknown'}, ${platform} ${arch}${packaged ? ', packaged' : ''}: ${ms} ms`
const rows = checks.map(({ check, ok, ms: took, detail }) => [
  ok ? 'ok' : 'FAILED',
  check,
  `${took} ms`,
  detail,
])
console.log(title)
for (const row of rows)
  console.log(`${row[0].padEnd(6)}  ${row[1].padEnd(18)}  ${row[2].padStart(8)}  ${row[3]}`)
const summary = process.env.GITHUB_STEP_SUMMARY
if (summary) {
  const cell = (text) => String(text).replaceAll('|', '\\|')
  appendFileSync(summary, `\n**${title}**\n\n| | check | time | |\n|-|-|-|-|\n`)
  for (const row of rows) appendFileSync(summary, `| ${row.map(cell).join(' | ')} |\n`)
}
process.exit(code === 0 && checks.every(({ ok }) => ok) ? 0 : 1)
