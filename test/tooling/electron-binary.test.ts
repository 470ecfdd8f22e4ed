import { describe, expect, test } from 'vitest'
import { downloadError, noDesktopReason } from '../../scripts/lib/electron-binary.ts'

const desktop = { platform: 'linux', env: { DISPLAY: ':0' }, userId: 1000 } as const

describe('whether a desktop window can be opened', () => {
  test('possible with a display and as a normal user; always on macOS and Windows', () => {
    expect(noDesktopReason(desktop)).toBeNull()
    expect(noDesktopReason({ ...desktop, env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeNull()
    expect(noDesktopReason({ platform: 'darwin', env: {}, userId: 0 })).toBeNull()
    expect(noDesktopReason({ platform: 'win32', env: {}, userId: null })).toBeNull()
  })

  test('impossible without a display or as root, with the reason', () => {
    expect(noDesktopReason({ ...desktop, env: {} })).toContain('DISPLAY')
    expect(noDesktopReason({ ...desktop, env: { DISPLAY: '' } })).toContain('DISPLAY')
    expect(noDesktopReason({ ...desktop, userId: 0 })).toContain('root')
  })
})

test('a failed download is reported in one line', () => {
  const stack = 'Downloading Electron binary...\nTypeError: fetch failed\n    at node:internal/deps/undici/undici:14902:13\n'
  expect(downloadError(stack)).toBe('fetch failed')
  expect(downloadError(`${stack}  [cause]: Error: getaddrinfo ENOTFOUND github.com {\n`)).toBe('getaddrinfo ENOTFOUND github.com')
  expect(downloadError('')).toBe('no reason given')
})
