/**
 * `node scripts/sign-updates.mjs [FOLDER]`: signs each `latest*.yml` in `dist/`, as a release needs it. COUNTERSIGN_UPDATE_KEY has one or
 * more Ed25519 private keys (PEM). `resources/update-keys.json` must list their public keys: the app accepts a signature by any of them.
 * Two at a time let keys change: list the new one, sign with both until every install lists it, then remove the old one.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function fail(message) {
  console.error(message)
  process.exit(3)
}

/** The private keys, with their public keys as the app lists them. */
function readKeys(text, listed) {
  const block = /-----BEGIN PRIVATE KEY-----[\w+/=\s]+-----END PRIVATE KEY-----/g
  const pems = text.match(block) ?? []
  if (pems.length === 0 || text.replace(block, '').trim() !== '')
    fail(
      'COUNTERSIGN_UPDATE_KEY is missing or incomplete. Set it to one or more Ed25519 private keys in PEM. Nothing was signed.',
    )
  return pems.map((pem, index) => {
    let key
    try {
      key = createPrivateKey(pem)
    } catch {
      fail(`Key ${index + 1} in COUNTERSIGN_UPDATE_KEY isn't readable. Nothing was signed.`)
    }
    if (key.asymmetricKeyType !== 'ed25519')
      fail(`Key ${index + 1} in COUNTERSIGN_UPDATE_KEY isn't an Ed25519 key. Nothing was signed.`)
    const publicKey = createPublicKey(key)
      .export({ format: 'der', type: 'spki' })
      .toString('base64')
    if (!listed.includes(publicKey))
      fail(
        `resources/update-keys.json doesn't list ${publicKey}, so no app would accept key ${index + 1}. Nothing was signed.`,
      )
    return key
  })
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keys: { type: 'string' } },
})
const folder = positionals[0] ?? join(root, 'dist')
const listed = JSON.parse(
  readFileSync(values.keys ?? join(root, 'resources', 'update-keys.json'), 'utf8'),
)
const keys = readKeys(process.env.COUNTERSIGN_UPDATE_KEY ?? '', listed)
const names = globSync('latest*.yml', { cwd: folder })
if (names.length === 0)
  fail(`${folder} has no update metadata (latest*). Package with COUNTERSIGN_UPDATE_URL first.`)
const files = names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) }))
for (const { name, bytes } of files)
  if (!/^releaseDate:/m.test(bytes.toString()))
    fail(`${name} has no releaseDate, which the app needs. Nothing was signed.`)
for (const { name, bytes } of files) {
  // The name is signed too, so that one platform's file can't replace another's: see src/main/update-engine.ts.
  const signed = Buffer.concat([Buffer.from(`countersign-update ${name}\n`), bytes])
  const lines = keys.map((key) => sign(null, signed, key).toString('base64'))
  writeFileSync(join(folder, `${name}.sig`), `${lines.join('\n')}\n`)
  console.log(`Signed ${name} with ${keys.length === 1 ? '1 key' : `${keys.length} keys`}.`)
}
