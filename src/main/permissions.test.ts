import { expect, test } from 'vitest'
import { mayHave } from './permissions.ts'

test('writing text to the clipboard is all that the page may have', () => {
  const asked = [
    'clipboard-sanitized-write',
    'clipboard-read',
    'media',
    'geolocation',
    'notifications',
    'hid',
    'serial',
    'usb',
    'fileSystem',
    'display-capture',
    'openExternal',
    'unknown',
    '',
  ]
  expect(asked.filter((permission) => mayHave(permission, true))).toEqual(['clipboard-sanitized-write'])
  expect(asked.filter((permission) => mayHave(permission, false))).toEqual([])
})
