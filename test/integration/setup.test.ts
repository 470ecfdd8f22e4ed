import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isChangedEntry } from '../../src/shared/model/setup.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { refusal } from '../support/refusal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  FLOW,
  shownSetup,
  sourceOf,
  TEAM_PLACES,
  TEAM_SECRETS,
  teamSetup,
} from '../support/team-setup.ts'

const FILE = '/work/team/countersign.json'

test('a setup that was written, applied to an empty folder, is equal there; applied again, it changes nothing', async () => {
  const first = await coreInFolder()
  const source = sourceOf(await teamSetup())
  const { plan } = await first.call('setup.apply', { source })
  expect(plan.entries.filter(isChangedEntry)).toHaveLength(17)
  const shown = await shownSetup(first)
  expect(shown).toMatchObject({
    secrets: {
      'transaction.auth': TEAM_SECRETS.purchases,
      'transaction.refund': TEAM_SECRETS.refunds,
    },
    views: [
      ['Refunds', 'event:*.refund'],
      ['Big', 'amount:>100'],
    ],
    flows: [{ name: 'coffee' }],
  })
  const again = await first.call('setup.apply', { source })
  expect(again.plan).toMatchObject({ differences: 0, missing: [] })

  const written = await first.call('setup.describe', { file: FILE, text: source.text })
  for (const secret of Object.values(TEAM_SECRETS)) expect(written.text).not.toContain(secret)
  expect(written.variables).toEqual([])
  const second = await coreInFolder()
  const files = Object.fromEntries(written.files.map(({ path, text }) => [path, text]))
  const other = { file: FILE, text: written.text, files, secrets: TEAM_PLACES }
  await second.call('setup.apply', { source: other })
  expect(await shownSetup(second)).toEqual(shown)
  expect(await second.call('setup.describe', { file: FILE, text: written.text })).toEqual(written)
  expect([first.bugs, second.bugs]).toEqual([[], []])
})

const sandboxHook = (name: string, url: string) => ({
  ...{ name, environment: 'sandbox-test', event: 'card.linked', url },
  secret: { env: 'A' },
})

test('an apply is undone as a whole, unless an added hook is in use', async () => {
  const core = await coreInFolder()
  await core.call('handlers.add', { name: 'mine', url: 'localhost:3000', secret: 'mine' })
  await core.call('views.save', { name: 'refunds', query: 'old' })
  await core.call('settings.set', { retention: { days: 7 } })
  const before = await shownSetup(core)
  const source = sourceOf(await teamSetup())
  const { plan, undo } = await core.call('setup.apply', { source })
  expect(plan.entries).toContainEqual({
    ...{ kind: 'view', name: 'Refunds', state: 'change' },
    changes: [
      { field: 'name', from: 'refunds', to: 'Refunds' },
      { field: 'query', from: 'old', to: 'event:*.refund' },
    ],
  })
  expect(plan.entries).toContainEqual(
    expect.objectContaining({ kind: 'handler', name: 'mine', state: 'extra' }),
  )
  expect((await shownSetup(core)).handlers).toHaveLength(3)
  await core.call('setup.undo', { undo })
  expect(await shownSetup(core)).toEqual(before)
  const trigger = () => refusal(core.call('sandbox.trigger', { event: 'transaction.refund' }))
  await expect.poll(async () => (await trigger()).code).toBe('NO_HOOK')
  expect(await refusal(core.call('setup.undo', { undo }))).toMatchObject({ code: 'NOT_FOUND' })

  const url = `${core.receiver}/h/used`
  const used = sourceOf(
    { countersign: 1, hooks: [sandboxHook('used', url)] },
    { 'hooks[0].secret': 'whsec_1' },
  )
  const applied = await core.call('setup.apply', { source: used })
  await core.deliver({ url, secret: 'whsec_1' })
  expect((await core.latest()).verdict).toBe('valid')
  expect(await refusal(core.call('setup.undo', { undo: applied.undo }))).toMatchObject({
    code: 'INVALID_HOOK',
  })
  expect(core.bugs).toEqual([])
})

test('a changed secret rotates: what the previous one signed still verifies', async () => {
  const core = await coreInFolder()
  const url = `${core.receiver}/h/rotated`
  const withSecret = (secret: string) =>
    sourceOf({ countersign: 1, hooks: [sandboxHook('one', url)] }, { 'hooks[0].secret': secret })
  await core.call('setup.apply', { source: withSecret('whsec_old') })
  const { plan, undo } = await core.call('setup.apply', { source: withSecret('whsec_new') })
  expect(plan.entries[0]?.changes).toEqual([{ field: 'secret', from: null, to: null }])
  for (const secret of ['whsec_old', 'whsec_new']) {
    await core.deliver({ url, secret })
    expect((await core.latest()).verdict).toBe('valid')
  }
  await core.call('setup.undo', { undo })
  const { hooks } = await core.call('hooks.list', {})
  expect(hooks).toMatchObject([{ previousSecrets: 0 }])
  expect(await core.call('hooks.reveal', { id: hooks[0]?.id ?? '' })).toEqual({
    secret: 'whsec_old',
  })
})

test('if one entry is refused, nothing is changed', async () => {
  const core = await coreInFolder()
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const before = await shownSetup(core)
  const source = sourceOf({
    ...(await teamSetup()),
    settings: { ports: { receiverHttp: port } },
  })
  expect(await refusal(core.call('setup.apply', { source }))).toMatchObject({ code: 'PORT_IN_USE' })
  const { 'handlers[1].secret': _, ...secrets } = TEAM_PLACES
  const incomplete = sourceOf(await teamSetup(), secrets)
  expect(await refusal(core.call('setup.apply', { source: incomplete }))).toMatchObject({
    message: 'Secrets are missing. Set or enter handlers[1].secret: HANDLER_SECRET.',
  })
  expect(await shownSetup(core)).toEqual(before)
})

test('a hostile file sends nothing and gives no consent: remote targets wait for the user', async () => {
  const core = await coreInFolder()
  const url = `${core.receiver}/h/hostile`
  const source = sourceOf(
    {
      countersign: 1,
      hooks: [sandboxHook('one', url)],
      handlers: [{ name: 'far', url: 'https://192.0.2.1/steal' }],
      forwards: [
        { name: 'far', url: 'https://192.0.2.1/steal' },
        { name: 'far @', url: 'https://192.0.2.1/', handler: 'far', response: 'at-once' },
      ],
      current: { environment: 'sandbox-test', handler: 'far' },
    },
    { 'hooks[0].secret': 'whsec_1' },
  )
  await core.call('setup.apply', { source })
  await core.deliver({ url, secret: 'whsec_1' })
  await expect
    .poll(async () =>
      (await core.call('forward.list', {})).targets.map(({ light, problem, passed, queue }) => ({
        ...{ light, passed, waiting: queue.waiting },
        isRemote: problem?.includes('is a remote host') ?? false,
      })),
    )
    .toEqual([1, 2].map(() => ({ light: 'down', passed: 0, waiting: 1, isRemote: true })))
  expect(await core.call('consent.list', {})).toEqual({ consents: [] })
  const live = sourceOf({ countersign: 1, current: { environment: 'sandbox-live' } })
  expect(await refusal(core.call('setup.apply', { source: live }))).toMatchObject({
    code: 'CONFIRMATION_REQUIRED',
  })
  expect(await refusal(core.window.call('setup.apply', { source: live }))).toMatchObject({
    code: 'CONFIRMATION_REQUIRED',
    details: { environments: ['sandbox-live'] },
  })
})

test('the window compares with the file that was applied last, and says what is wrong with it', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'countersign.json')
  const core = await coreInFolder()
  const window = async () => core.window.call('setup.plan', {})
  expect(await window()).toEqual({ file: null, plan: null, problem: null })
  const view = { name: 'Refunds', query: 'event:*.refund' }
  writeFileSync(file, JSON.stringify({ countersign: 1, views: [view] }))
  const source = { file, text: readFileSync(file, 'utf8'), files: {}, secrets: {} }
  await core.call('setup.apply', { source })
  expect(await window()).toMatchObject({ file, plan: { differences: 0 } })
  writeFileSync(file, JSON.stringify({ countersign: 1, views: [view, { ...view, name: 'B' }] }))
  expect(await window()).toMatchObject({ plan: { differences: 1 } })
  await core.window.call('setup.apply', {})
  expect((await core.call('views.list', {})).views).toHaveLength(2)
  writeFileSync(file, '{')
  expect(await window()).toMatchObject({
    plan: null,
    problem: expect.stringContaining("countersign.json:1:2 The file isn't valid JSON."),
  })
})

test('a file overwrites no other hook by its ID, and changes no mode', async () => {
  const core = await coreInFolder()
  const mine = await core.hook('/h/mine', 'whsec_mine')
  const hook = { ...sandboxHook('other', 'https://acme.example/other'), id: mine.id }
  const secrets = { 'hooks[0].secret': 'whsec_other', 'hooks[1].secret': 'whsec_third' }
  const third = { ...sandboxHook('third', 'https://acme.example/third'), id: mine.id }
  const source = sourceOf({ countersign: 1, hooks: [hook, third] }, secrets)
  await core.call('setup.apply', { source })
  const { hooks } = await core.call('hooks.list', {})
  expect(new Set(hooks.map(({ id }) => id)).size).toBe(3)
  expect(hooks.find(({ id }) => id === mine.id)).toMatchObject({ url: mine.url })

  const account = { name: 'acme', mode: 'live', baseUrl: 'https://api.acme.example' } as const
  await core.call('environments.add', { ...account, key: 'sk_live_0123456789' })
  const environments = [{ ...account, mode: 'test', key: { env: 'A' } }]
  const changed = { countersign: 1, environments }
  const input = { source: sourceOf(changed, { 'environments[0].key': 'sk_1' }), live: true }
  expect(await refusal(core.call('setup.apply', input))).toMatchObject({
    message: "The mode of acme is live and can't be changed. Give the other account its own name.",
  })
})

test('consent to an environment ends when an undo removes it or gives it back its server', async () => {
  const core = await coreInFolder()
  const apply = async (name: string, baseUrl: string) => {
    const environments = [{ name, mode: 'test', baseUrl, key: { env: 'A' } }]
    const source = sourceOf({ countersign: 1, environments }, { 'environments[0].key': 'sk_1' })
    const { undo } = await core.call('setup.apply', { source })
    const subjects = [{ about: 'environment', name } as const]
    await core.window.call('consent.give', { subjects })
    return undo
  }
  const consents = async () =>
    (await core.call('consent.list', {})).consents.map(({ name }) => name)
  await apply('acme', 'https://api.acme.example')
  const moved = await apply('acme', 'https://other.acme.example')
  const added = await apply('extra', 'https://api.acme.example')
  expect(await consents()).toEqual(['acme', 'extra'])
  await core.call('setup.undo', { undo: added })
  expect(await consents()).toEqual(['acme'])
  await core.call('setup.undo', { undo: moved })
  expect(await consents()).toEqual([])
})

test('a flow renamed in its file replaces the earlier one', async () => {
  const core = await coreInFolder()
  const apply = (flow: string) => {
    const files = { 'flows/coffee.json': flow }
    const source = sourceOf({ countersign: 1, flows: Object.keys(files) }, {}, files)
    return core.call('setup.apply', { source })
  }
  await apply(FLOW)
  await apply(FLOW.replace('"coffee"', '"tea"'))
  const { files } = await core.call('setup.describe', { file: FILE, text: null })
  expect(files).toEqual([
    { path: 'flows/coffee.json', text: expect.stringContaining('"tea"') as string },
  ])
})

test("a handler's secret is its own, whatever the case of its name", async () => {
  const core = await coreInFolder()
  const apply = (names: readonly string[], secrets: readonly string[]) => {
    const handlers = names.map((name) => ({ name, url: 'localhost:3000', secret: { env: 'A' } }))
    const places = secrets.map((secret, index) => [`handlers[${index}].secret`, secret] as const)
    const source = sourceOf({ countersign: 1, handlers }, Object.fromEntries(places), {})
    return core.call('setup.apply', { source })
  }
  await apply(['sandbox-test', 'mine'], ['one', 'two'])
  const changed = await apply(['sandbox-test', 'mine'], ['three', 'two'])
  const secret = [{ field: 'secret', from: null, to: null }]
  expect(changed.plan.entries.filter(isChangedEntry)).toMatchObject([
    { kind: 'handler', name: 'sandbox-test', changes: secret },
  ])
  const { plan } = await apply(['sandbox-test', 'Mine'], [])
  expect(plan.entries.filter(isChangedEntry)).toMatchObject([
    { name: 'Mine', changes: [{ field: 'name', from: 'mine', to: 'Mine' }] },
  ])
})
