import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { appStatusOf } from '../../../../test/support/model-values.ts'
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts'
import { matchingSettings, listSettings } from './setting-list.tsx'

const status = appStatusOf()
const window = { theme: 'dark', wrap: true, singleKeys: false } as const
const desktop = listSettings({
  status,
  settings: DEFAULT_SETTINGS,
  handlers: [],
  isDesktop: true,
  ...window,
})
const browser = listSettings({
  status,
  settings: DEFAULT_SETTINGS,
  handlers: [],
  isDesktop: false,
  ...window,
})
const namesFor = (search: string) => matchingSettings(browser, search).map(({ name }) => name)

const pages = new Map(
  readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')
    .split(/^#{2,6} /m)
    .map((page) => [page.split('\n')[0] ?? '', page] as const),
)

test('every setting has a command-line name that the command line accepts', () => {
  for (const { name, cli } of [...desktop, ...browser]) {
    const page =
      pages.get(cli.split(' ').slice(0, 2).join(' ')) ??
      pages.get(cli.split(' ')[0] ?? '') ??
      (['--version', '--help'].includes(cli) ? cli : undefined)
    expect(page, name).toBeDefined()
    for (const option of cli.match(/--[a-z-]+/g) ?? [])
      expect(page, `${name}: ${option}`).toContain(option)
  }
})

test('a search finds settings by words, by option and by key, in any order', () => {
  expect(namesFor('port https')[0]).toBe('HTTPS port')
  expect(namesFor('--sandbox-port')).toEqual(['Sandbox port'])
  expect(namesFor('--receiver-http-port')).toEqual(['HTTP port'])
  expect(namesFor('keep-days')).toEqual(['Limits'])
  expect(namesFor('tunnel use')).toEqual(['Public URL'])
  expect(namesFor('ctrl k')).toContain('Single-key shortcuts')
  expect(namesFor('DARK')).toEqual(['Theme'])
  expect(namesFor('nothing like this')).toEqual([])
})

test('only the desktop app has settings of a desktop, and only the browser an app port', () => {
  const names = (all: typeof desktop) => all.map(({ name }) => name)
  expect(names(desktop)).toContain('When the window closes')
  expect(names(desktop)).not.toContain('App port')
  expect(names(browser)).not.toContain('When the window closes')
  expect(names(browser)).toContain('App port')
})

test('About leads to the documentation and the license', () => {
  const about = browser.filter(({ section }) => section === 'about').map(({ name }) => name)
  expect(about).toEqual(['Version', 'Diagnostics', 'Documentation', 'License', 'Quick tour'])
})

test('no two settings have the same name in a group', () => {
  const places = desktop.map(({ section, group, name }) => `${section} ${group ?? ''} ${name}`)
  expect(new Set(places).size).toBe(places.length)
})
