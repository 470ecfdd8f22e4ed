import { expect, test } from 'vitest'
import { menuTemplate } from './menu.ts'

const build = (platform: NodeJS.Platform, developer = false) =>
  menuTemplate({ platform, developer, openDataFolder: () => undefined })

test('macOS has its application menu, which includes Quit', () => {
  const mac = build('darwin')
  expect(mac[0]).toEqual({ role: 'appMenu' })
  expect(JSON.stringify(mac)).not.toContain('"quit"')
  const linux = build('linux')
  expect(linux[0]?.label).toBe('File')
  expect(JSON.stringify(linux)).toContain('"quit"')
})

test('the File menu opens the data folder', () => {
  let opened = 0
  const [file] = menuTemplate({ platform: 'linux', developer: false, openDataFolder: () => (opened += 1) })
  const entry = Array.isArray(file?.submenu) ? file.submenu.find(({ label }) => label === 'Open data folder') : undefined
  if (entry?.click === undefined) throw new Error('There is no such entry.')
  Reflect.apply(entry.click, entry, [])
  expect(opened).toBe(1)
})

test('only development builds have developer tools', () => {
  expect(JSON.stringify(build('linux'))).not.toContain('toggleDevTools')
  expect(JSON.stringify(build('linux', true))).toContain('toggleDevTools')
})
