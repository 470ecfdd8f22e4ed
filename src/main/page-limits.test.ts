import { describe, expect, test } from 'vitest'
import {
  ACTIVATION_MS,
  mayNavigate,
  mayOpenOutside,
  mayUsePermission,
  mayCallCore,
} from './page-limits.ts'

const pageUrl = 'app://countersign/'

describe('navigation', () => {
  test.each([pageUrl, `${pageUrl}index.html`, `${pageUrl}#/hooks`, `${pageUrl}index.html#/hooks`])(
    'the window can load %s',
    (url) => {
      expect(mayNavigate(url, pageUrl)).toBe(true)
    },
  )

  test.each([
    `${pageUrl}other.html`,
    `${pageUrl}assets/index.js`,
    `${pageUrl}?next=https://evil.example/`,
    'app://countersign.evil/',
    'app://evil/',
    'https://evil.example/',
    'http://127.0.0.1:4780/',
    'file:///etc/passwd',
    'data:text/html,<script>1</script>',
    'javascript:alert(1)',
    'about:blank',
    'blob:app://countersign/5d0c',
    'chrome://settings',
    '',
  ])("the window can't load %j", (url) => {
    expect(mayNavigate(url, pageUrl)).toBe(false)
  })
})

describe('opening links', () => {
  test('a web link opens only after a user action', () => {
    expect(mayOpenOutside('https://example.com/docs?a=1#b', 20)).toBe(true)
    expect(mayOpenOutside('http://127.0.0.1:3000/', ACTIVATION_MS)).toBe(true)
    expect(mayOpenOutside('https://example.com/', ACTIVATION_MS + 1)).toBe(false)
    expect(mayOpenOutside('https://example.com/', Number.POSITIVE_INFINITY)).toBe(false)
  })

  test.each([
    'file:///etc/passwd',
    'smb://evil.example/share',
    'ms-msdt:/id',
    'javascript:alert(1)',
    'data:text/html,x',
    'app://countersign/',
    'vscode://file/etc/passwd',
    'mailto:a@example.com',
    'https://user:password@example.com/',
    '//example.com/',
    'https//example.com',
    '',
  ])('%j never opens', (url) => {
    expect(mayOpenOutside(url, 0)).toBe(false)
  })
})

test('the page may only write text to the clipboard', () => {
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
  expect(asked.filter((permission) => mayUsePermission(permission, { isOwnPage: true }))).toEqual([
    'clipboard-sanitized-write',
  ])
  expect(asked.filter((permission) => mayUsePermission(permission, { isOwnPage: false }))).toEqual(
    [],
  )
})

const ownPage = 'app://countersign/'
const own = { url: 'app://countersign/index.html#/deliveries', isTopFrame: true, isOwnWindow: true }

test("our window's top frame with our page may call", () => {
  expect(mayCallCore(own, ownPage)).toBe(true)
  expect(mayCallCore({ ...own, url: ownPage }, ownPage)).toBe(true)
})

test('a nested frame, another window or a closed frame may not call', () => {
  expect(mayCallCore({ ...own, isTopFrame: false }, ownPage)).toBe(false)
  expect(mayCallCore({ ...own, isOwnWindow: false }, ownPage)).toBe(false)
  expect(mayCallCore({ ...own, url: null }, ownPage)).toBe(false)
})

test.each([
  '',
  'about:blank',
  'about:srcdoc',
  'data:text/html,app://countersign/',
  'file:///app://countersign/',
  'app://countersign',
  'app://countersign.evil/',
  'app://countersign-evil/',
  'app://evil/app://countersign/',
  'https://countersign/',
  'blob:app://countersign/5d0c',
  'view-source:app://countersign/',
  'devtools://devtools/bundled/inspector.html',
])('a document at %j may not call', (url) => {
  expect(mayCallCore({ ...own, url }, ownPage)).toBe(false)
})
