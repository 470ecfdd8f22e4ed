import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { openSessionFile } from './session-file.ts'
import { Sessions, type SessionStore } from './sessions.ts'

// What a token, a session, a key and a ticket open, and for how long: test/integration/loopback-host.test.ts.

const DAY = 86_400_000

function createSessions(store?: SessionStore, now = () => 0) {
  return new Sessions({ monotonic: () => 0, now, randomBytes, ...(store && { store }) })
}

/** The cookie of a new session. */
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
  const { ticket } = sessions.challenge(session, 'http://127.0.0.1:1', 'nonce')
  for (const other of [undefined, '', link.token, link.key, ticket, session.id, session.key])
    expect(sessions.find(other)).toBe(null)
})

test('beyond 20 sessions the one used longest ago ends, and an unused one ends after 30 days', () => {
  let now = 0
  const sessions = createSessions(undefined, () => now)
  const cookies = Array.from({ length: 20 }, () => {
    now++
    return signIn(sessions)
  })
  const [first = '', second = ''] = cookies
  const session = sessions.find(first)
  if (session === null) throw new Error('no session')
  now++
  const { ticket } = sessions.challenge(session, 'http://127.0.0.1:1', 'nonce')
  expect(sessions.redeemTicket(session, ticket)).toBe(true)
  signIn(sessions)
  expect(sessions.find(first)).not.toBe(null)
  expect(sessions.find(second)).toBe(null)
  now += 30 * DAY
  expect(sessions.find(first)).not.toBe(null)
  now++
  expect(sessions.find(first)).toBe(null)
})

/** A data folder, and how to open its sessions as each start does. */
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
  const sessions = createSessions(first, Date.now)
  const link = sessions.issueLink(1_000)
  const cookie = sessions.redeemToken(link.token) ?? ''
  const other = signIn(sessions)
  await first.close()
  expect(readdirSync(dataFolder)).toEqual(['ca.pem'])
  const [name = ''] = readdirSync(browsers)
  const text = readFileSync(join(browsers, name), 'utf8')
  for (const secret of [link.token, link.key, cookie, other]) expect(text).not.toContain(secret)

  const second = await open()
  const later = createSessions(second, Date.now)
  expect(later.find(cookie)).toEqual(sessions.find(cookie))
  expect(later.signOut(later.find(cookie)?.id ?? null)).toBe(1)
  await second.close()
  const last = createSessions(await open(), Date.now)
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

test('a damaged file signs nobody in, and only the files of the last 50 data folders are kept', async () => {
  const { browsers, open } = startFolder()
  const store = await open()
  signIn(createSessions(store))
  await store.close()
  const [name = ''] = readdirSync(browsers)
  for (const damaged of ['', '{', '[{"id":1}]']) {
    writeFileSync(join(browsers, name), damaged)
    expect((await open()).kept).toEqual([])
  }
  for (let place = 1; place <= 50; place++) {
    const file = join(browsers, `${place}.json`)
    writeFileSync(file, '[]')
    utimesSync(file, 1_000 - place, 1_000 - place)
  }
  await open()
  expect(readdirSync(browsers)).toHaveLength(50)
  expect(readdirSync(browsers)).toContain(name)
  expect(readdirSync(browsers)).not.toContain('50.json')
})
