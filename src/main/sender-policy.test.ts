import { expect, test } from 'vitest'
import { mayCallCore } from './sender-policy.ts'

const home = 'app://countersign/'
const own = { url: 'app://countersign/index.html#/deliveries', isTopFrame: true, isOwnWindow: true }

test('the top frame of our window with our page may call', () => {
  expect(mayCallCore(own, home)).toBe(true)
  expect(mayCallCore({ ...own, url: home }, home)).toBe(true)
})

test('a frame inside the page, another window and a frame that is gone may not', () => {
  expect(mayCallCore({ ...own, isTopFrame: false }, home)).toBe(false)
  expect(mayCallCore({ ...own, isOwnWindow: false }, home)).toBe(false)
  expect(mayCallCore({ ...own, url: null }, home)).toBe(false)
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
])('a document at %j may not', (url) => {
  expect(mayCallCore({ ...own, url }, home)).toBe(false)
})
