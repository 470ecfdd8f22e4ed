import { describe, expect, test } from 'vitest'
import { keyLines } from '../key-map.ts'
import { createKeyReader, type KeyPress, type KeyContext } from './key-reader.ts'

const context: KeyContext = {
  inText: false,
  inDialog: false,
  listFocus: true,
  singleKeys: true,
  scopes: ['everywhere', 'list', 'detail'],
  isApple: false,
}

function press(key: string, modifiers: Partial<KeyPress> = {}): KeyPress {
  return { key, ctrl: false, meta: false, alt: false, shift: false, ...modifiers }
}

function actionOf(presses: readonly KeyPress[], around: Partial<KeyContext> = {}) {
  const read = createKeyReader()
  return presses.map((one) => read(one, { ...context, ...around })).at(-1)
}

describe('reading keys', () => {
  test('a single key triggers its action', () => {
    expect(actionOf([press('j')])).toBe('next')
    expect(actionOf([press(' ')])).toBe('peek')
    expect(actionOf([press('?', { shift: true })])).toBe('shortcuts')
  })

  test('a two-key sequence triggers its action, and a wrong second key cancels it', () => {
    expect(actionOf([press('g'), press('h')])).toBe('go-hooks')
    expect(actionOf([press('g'), press(',')])).toBe('go-settings')
    expect(actionOf([press('g'), press('x'), press('h')])).toBeNull()
  })

  test('Mod is Ctrl, and Command on macOS', () => {
    expect(actionOf([press('k', { ctrl: true })])).toBe('palette')
    expect(actionOf([press('k', { meta: true })])).toBeNull()
    expect(actionOf([press('k', { meta: true })], { isApple: true })).toBe('palette')
    expect(actionOf([press('Backspace', { ctrl: true, shift: true })])).toBe('clear-shown')
    expect(actionOf([press('!', { ctrl: true, shift: true })])).toBeNull()
  })

  test('an overlay keeps the keys to itself, except the one that cancels a replay', () => {
    expect(actionOf([press('k', { ctrl: true })], { inDialog: true })).toBeNull()
    expect(actionOf([press('g'), press('h')], { inDialog: true })).toBeNull()
    expect(actionOf([press('.', { ctrl: true })], { inDialog: true, inText: true })).toBe(
      'cancel-replays',
    )
  })

  test('letters do nothing in text fields or when disabled', () => {
    expect(actionOf([press('j')], { inText: true })).toBeNull()
    expect(actionOf([press('j')], { singleKeys: false })).toBeNull()
    expect(actionOf([press('g'), press('d')], { singleKeys: false })).toBeNull()
    expect(actionOf([press('g'), press(',')], { inText: true })).toBeNull()
    expect(actionOf([press(',', { ctrl: true })], { inText: true, singleKeys: false })).toBe(
      'go-settings',
    )
    expect(actionOf([press('Escape')], { inText: true, singleKeys: false })).toBe('back')
  })

  test('a focused control keeps arrows, Enter and Space', () => {
    for (const key of ['ArrowDown', 'Enter', ' ', 'Home'])
      expect(actionOf([press(key)], { listFocus: false })).toBeNull()
    expect(actionOf([press('j')], { listFocus: false })).toBe('next')
  })

  test('keys of one screen work only there', () => {
    expect(actionOf([press('2')], { scopes: ['everywhere', 'list'] })).toBeNull()
    expect(actionOf([press('j')], { scopes: ['everywhere'] })).toBeNull()
  })
})

describe('the key map', () => {
  const all = keyLines.flatMap((line) => line.keys.map((keys) => ({ ...line, keys })))

  test('uses no browser shortcuts: tabs, windows, the URL bar, reload, print', () => {
    for (const { keys } of all) expect(keys).not.toMatch(/^Mod\+([ntwlrp]|Tab|[1-9])$/i)
  })

  test('uses no key twice on one screen', () => {
    const places = all.map(({ keys, scope }) => `${scope} ${keys}`)
    expect(new Set(places).size).toBe(places.length)
  })
})
