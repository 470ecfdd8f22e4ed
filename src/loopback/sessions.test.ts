import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { openSessionFile } from './session-file.ts'
import { Sessions, type SessionStore } from './sessions.ts'

/** Tests sessions apart from what they open (test/integration/loopback-host.test.ts). */
function createSessions(store?: SessionStore) {
  return new Sessions({ monotonic: () => 0, randomBytes, ...(store && { store }) })
}

const signIn = (sessions: Sessions) =>
  sessions.redeemToken(sessions.issueLink(1_000).token) ?? 'no session'

test('the secrets of links have 256 bits and never repeat', () => {
  const sessions = createSessions()
  const links = Array.from({ length: 100 }, () => sessions.issueLink(1_000))
  expect(new Set(links.flatMap(({ token, key }) => [token, key])).size).toBe(200)
  for (const secret of Object.values(links[0] ?? {}))
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
})

test('only the cookie finds a session: no token, key, ticket or ID does', () => {
  const sessions = createSessions()
  const link = sessions.issueLink(1_000)
  const cookie = sessions.redeemToken(link.token) ?? ''
  const session = sessions.find(cookie)
  if (session === null) throw new Error('no session')
  expect([link.token, link.key]).not.toContain(cookie)
  const challenge = sessions.challenge(session, 'http://127.0.0.1:1', 'nonce')
  const others = [undefined, '', link.token, link.key, session.id, session.key]
  for (const other of [...others, ...Object.values(challenge)])
    expect(sessions.find(other)).toBe(null)
})

test('beyond 20 sessions the one used longest ago ends', () => {
  const sessions = createSessions()
  const link = sessions.issueLink(1_000)
  const first = sessions.redeemToken(link.token) ?? ''
  const others = Array.from({ length: 19 }, () => signIn(sessions))
  const session = sessions.find(first)
  if (session === null) throw new Error('no session')
  expect(sessions.redeemTicket(session, link.key)).toBe(true)
  signIn(sessions)
  expect(sessions.find(first)).not.toBe(null)
  expect(others.map((cookie) => sessions.find(cookie) !== null)).toEqual([
    false,
    ...others.slice(1).map(() => true),
  ])
})

function startFolder() {
  const parent = temporaryFolder()
  const [dataFolder, browsers] = [join(parent, 'data'), join(parent, 'browsers')]
  mkdirSync(dataFolder)
  mkdirSync(browsers)
  const caFile = join(dataFolder, 'ca.pem')
  writeFileSync(caFile, 'first CA')
  const open = (folder = dataFolder) => openSessionFile(browsers, folder, join(folder, 'ca.pem'))
  return { parent, dataFolder, browsers, caFile, open }
}

test('sessions outlast a restart, as digests in a file outside the data folder; a signed-out one is gone', async () => {
  const { dataFolder, browsers, open } = startFolder()
  const first = await open()
  const sessions = createSessions(first)
  const link = sessions.issueLink(1_000)
  const cookie = sessions.redeemToken(link.token) ?? ''
  const other = signIn(sessions)
  await first.close()
  expect(readdirSync(dataFolder)).toEqual(['ca.pem'])
  const [name = ''] = readdirSync(browsers)
  const text = readFileSync(join(browsers, name), 'utf8')
  for (const secret of [link.token, link.key, cookie, other]) expect(text).not.toContain(secret)

  const second = await open()
  const later = createSessions(second)
  expect(later.find(cookie)).toEqual(sessions.find(cookie))
  later.signOut(later.find(cookie)?.id ?? null)
  await second.close()
  const last = createSessions(await open())
  expect(last.find(cookie)).not.toBe(null)
  expect(last.find(other)).toBe(null)
})

test('a folder at another place, or another one at the same place, has no sessions', async () => {
  const { parent, dataFolder, caFile, open } = startFolder()
  const store = await open()
  signIn(createSessions(store))
  await store.close()
  expect((await open()).kept).toHaveLength(1)
  const moved = join(parent, 'moved')
  renameSync(dataFolder, moved)
  expect((await open(moved)).kept).toEqual([])
  renameSync(moved, dataFolder)
  writeFileSync(caFile, 'CA from elsewhere')
  expect((await open()).kept).toEqual([])
})

test('a damaged file signs nobody in, and files of many data folders are removed together', async () => {
  const { browsers, open } = startFolder()
  const store = await open()
  signIn(createSessions(store))
  await store.close()
  const [name = ''] = readdirSync(browsers)
  for (const damaged of ['', '{', '[{"id":1}]']) {
    writeFileSync(join(browsers, name), damaged)
    expect((await open()).kept).toEqual([])
  }
  for (let place = 1; place <= 200; place++) writeFileSync(join(browsers, `${place}`), '[]')
  await open()
  expect(readdirSync(browsers)).toEqual([])
})
