import { expect, test } from 'vitest'
import { isDifference } from '../../src/shared/model/setup.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  shownSetup,
  sourceOf,
  TEAM_PLACES,
  TEAM_SECRETS,
  teamSetup,
} from '../support/team-setup.ts'

const FILE = '/work/team/countersign.json'

test('a set-up that was written, applied to an empty folder, is equal there; applied again, it changes nothing', async () => {
  const first = await coreInFolder()
  const source = sourceOf(await teamSetup())
  const { plan } = await first.call('setup.apply', { source })
  expect(plan.entries.filter(isDifference)).toHaveLength(17)
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
