/**
 * Tests the programs that workflows run on Electron's binary, with another program in its place, or
 * with nothing.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

function smoke({
  prints,
  code,
  args = [],
}: {
  prints: object | string
  code: number
  args?: readonly string[]
}) {
  const folder = temporaryFolder()
  const app = join(folder, 'app')
  const text = typeof prints === 'string' ? prints : JSON.stringify(prints)
  writeFileSync(join(folder, 'printed'), `noise\n${text}\n`)
  writeFileSync(
    app,
    `#!/bin/sh\n[ "$1" = --self-test ] && cat '${folder}/printed'\necho 'No usable sandbox!' >&2\nexit ${code}\n`,
  )
  chmodSync(app, 0o755)
  const summary = join(folder, 'summary')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/smoke.mjs', '--app', app, ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, GITHUB_STEP_SUMMARY: summary },
    },
  )
  return { status, stdout, stderr }
}

const report = (ok: boolean) => ({
  selfTest: ok ? 'ok' : 'failed',
  version: '1.2.3',
  ms: 900,
  checks: [
    { check: 'secrets', ok: true, ms: 3, detail: 'file' },
    { check: 'page', ok, ms: 5, detail: ok ? 'painted' : 'The page can reach Node.' },
  ],
})

test.skipIf(process.platform === 'win32')(
  'it passes only if the app exits with 0, every check passes and secrets are in the expected place',
  () => {
    expect(smoke({ prints: report(true), code: 0, args: ['--secrets', 'file'] })).toMatchObject({
      status: 0,
      stderr: '',
    })
    const elsewhere = smoke({ prints: report(true), code: 0, args: ['--secrets', 'keyring'] })
    expect(elsewhere.stdout).toMatch(/^FAILED +secrets in keyring .*file$/m)
    expect(elsewhere.status).toBe(1)
    const failed = smoke({ prints: report(false), code: 1 })
    expect(failed.stdout).toMatch(/^FAILED +page .*The page can reach Node\.$/m)
    expect(failed.status).toBe(1)
    expect(smoke({ prints: report(true), code: 3 }).status).toBe(1)
  },
)

test.skipIf(process.platform === 'win32')(
  'an app that ends without a report is shown with its complaint',
  () => {
    const { status, stderr } = smoke({ prints: 'nothing', code: 0 })
    expect(stderr).toMatch(/No usable sandbox![^]*without a report \(exit code 0\)/)
    expect(status).toBe(1)
  },
)

test('without Electron, no test of TLS runs there: a sentence locally, a failure in CI', () => {
  const run = (CI: string) =>
    spawnSync(process.execPath, ['scripts/tls-in-electron.mjs'], {
      encoding: 'utf8',
      env: { ...process.env, CI, ELECTRON_OVERRIDE_DIST_PATH: temporaryFolder() },
    })
  const { status, stdout, stderr } = run('')
  expect([status, stdout, stderr]).toEqual([
    0,
    '',
    expect.stringMatching(/^Electron's binary not found, so no test ran\..*\n$/),
  ])
  expect(run('true').status).toBe(1)
})
