import { expect, test } from 'vitest'
import { hasTrayHost, type RunTool } from './tray-host.ts'

/** Tools that print these texts; any other is missing. */
function toolsThatSay(answers: Readonly<Record<string, string>>): { readonly asked: string[]; readonly run: RunTool } {
  const asked: string[] = []
  return {
    asked,
    run: (tool) => {
      asked.push(tool)
      const answer = answers[tool]
      return answer === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(answer)
    },
  }
}

test('macOS and Windows always show tray icons', async () => {
  const { asked, run } = toolsThatSay({})
  expect(await hasTrayHost('darwin', run)).toBe(true)
  expect(await hasTrayHost('win32', run)).toBe(true)
  expect(asked).toEqual([])
})

test.each([
  ['gdbus', '(true,)\n', true],
  ['gdbus', '(false,)\n', false],
  ['busctl', 'b true\n', true],
  ['busctl', 'b false\n', false],
  ['dbus-send', 'method return time=1.2 sender=org.freedesktop.DBus\n   boolean true\n', true],
  ['dbus-send', 'method return time=1.2 sender=org.freedesktop.DBus\n   boolean false\n', false],
])('on Linux %s decides with %j', async (tool, answer, expected) => {
  expect(await hasTrayHost('linux', toolsThatSay({ [tool]: answer }).run)).toBe(expected)
})

test('without a tool or a session bus there is no tray', async () => {
  const { asked, run } = toolsThatSay({})
  expect(await hasTrayHost('linux', run)).toBe(false)
  expect(asked).toEqual(['gdbus', 'busctl', 'dbus-send'])
})
