import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { samplePayloads } from '../support/sample-payloads.ts'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

let place: string
const body = JSON.stringify(samplePayloads['transaction.auth'])

beforeAll(async () => {
  place = join(cli.data, '..')
  const app = await coreInFolder({ dataFolder: cli.data })
  const url = `${app.receiver}/h/one`
  const hook = await app.call('hooks.import', { event: 'transaction.auth', url, secret: 'whsec_1' })
  for (const secret of ['whsec_1', 'whsec_nobody'])
    await app.send(url, { body, headers: signedHeaders(secret, body, url) })
  await app.send(url, { body: 'not JSON', headers: [] })
  expect(hook.environment).toBe('sandbox-test')
  await app.stop()
})

test('previews the replaced values, with examples, and writes nothing', async () => {
  const { code, text, stderr } = await cli.run`export --format handover --preview --shift-time -30d`
  expect(code).toBe(0)
  expect(text).toMatch(/^2 deliveries would be shared, with these values replaced:\n *\d+ {2}IDs\n/)
  expect(text).toMatch(/Examples\n.*id +\S+ +→ +\S+\n/)
  expect(text.split('→')).toHaveLength(11)
  expect(stderr).toContain('Left out 1 delivery (1 not JSON).\nNothing was written.\n')
})

test('names the paths that no field fits, because what they name is shared or replaced', async () => {
  const file = join(place, 'chosen.jsonl')
  const ran =
    await cli.run`export --format handover --keep brand.name --keep brand.nme --replace amuont -o ${file}`
  expect(ran.stderr).toContain('No field fits brand.nme or amuont. Check --keep and --replace.\n')
  expect(readFileSync(file, 'utf8')).not.toContain('amuont')
  const fitting = await cli.run`export --format handover --keep brand.name --preview`
  expect(fitting.stderr).not.toContain('No field fits')
})

test('a capture encrypted with a passphrase opens only with it', async () => {
  const fileOf = (name: string) => {
    const path = join(place, `${name}.txt`)
    writeFileSync(path, `a ${name} passphrase\n`)
    return path
  }
  const [right, wrong] = [fileOf('right'), fileOf('wrong')]
  const file = join(place, 'shared.age')
  const written = await cli.run`export --format handover --passphrase-file ${right} -o ${file}`
  expect(written).toMatchObject({ code: 0, text: '' })
  expect(written.stderr).toContain(
    `Wrote 2 deliveries to ${file}, signed again with throw-away secrets that the file contains.`,
  )
  expect(readFileSync(file, 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt /)
  const other = cli.given({ data: cli.newDataFolder() })
  expect(await other.run`import ${file}`).toMatchObject({
    code: 3,
    stderr:
      'The file is encrypted. Import it with "countersign import FILE --passphrase-file FILE".\n',
  })
  expect(await other.run`import ${file} --passphrase-file ${wrong}`).toMatchObject({
    code: 3,
    stderr: 'The passphrase is wrong. Use the one that the file was encrypted with.\n',
  })
  const opened = await other.run`import ${file} --passphrase-file ${right}`
  expect(opened).toMatchObject({
    code: 0,
    text: 'Imported 2 deliveries; 0 already known, 0 rejected.',
  })
  expect((await other.run`show latest~1`).text).toMatch(/origin +shared, re-signed/)
  expect((await other.run`deliveries is:shared`).text.split('shared, re-signed')).toHaveLength(3)
  const damaged = join(place, 'damaged.age')
  writeFileSync(damaged, readFileSync(file).subarray(0, 400))
  expect((await other.run`import ${damaged} --passphrase-file ${right}`).stderr).toContain(
    "The file is damaged or incomplete, so it can't be decrypted. Get it again.",
  )
})

test.each([
  [['--preview'], '--preview needs --format handover.'],
  [['--keep', 'a'], '--keep needs --format handover.'],
  [['--shift-time', '1d'], '--shift-time needs --format handover.'],
  [['--format', 'handover', '--include-secrets'], '--format handover never has secrets.'],
  [['--format', 'handover', '--preview', '-o', 'x'], '--preview writes nothing.'],
  [['--format', 'handover', '--shift-time', '1 day'], 'Expected a duration'],
])('refuses export %j', async (options, message) => {
  const { code, stderr } = await cli.run`export ${options}`
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('says so if nothing can be shared, and writes no file', async () => {
  const file = join(place, 'nothing.jsonl')
  expect(await cli.run`export is:unsigned --format handover -o ${file}`).toMatchObject({
    code: 1,
    stderr: 'Left out 1 delivery (1 not JSON).\n',
  })
  expect(existsSync(file)).toBe(false)
})
