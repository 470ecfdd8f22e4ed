import { describe, expect, test } from 'vitest'
import { parseWindowState, placeWindow, SMALLEST_WINDOW, zoomed } from './window-state.ts'

const laptop = { x: 0, y: 25, width: 1_440, height: 875 }
const monitor = { x: 1_440, y: 0, width: 2_560, height: 1_440 }
const usual = { maximized: false, fullScreen: false, zoom: 1 }
const boundsOf = (x: number, y: number, width = 1_000, height = 700) => ({ x, y, width, height })

describe('reading the state', () => {
  test('reads a saved state', () => {
    const state = { ...usual, bounds: boundsOf(-5, 10), maximized: true }
    expect(parseWindowState(JSON.stringify(state))).toEqual(state)
  })

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"bounds":{}}',
    '{"bounds":{"x":0,"y":0,"width":0,"height":1},"maximized":false}',
  ])('ignores %j', (text) => {
    expect(() => parseWindowState(text)).toThrow()
  })

  test('ignores sizes that are not pixels', () => {
    const text = JSON.stringify({ ...usual, bounds: boundsOf(1e9, 0, 1, 1) })
    expect(() => parseWindowState(text)).toThrow()
    expect(() => parseWindowState(text.replace('1000000000', '0.5'))).toThrow()
  })
})

test('a state from before full screen and zoom were saved is still read', () => {
  const old = { bounds: { x: 1, y: 2, width: 900, height: 700 }, maximized: true }
  expect(parseWindowState(JSON.stringify(old))).toEqual({ ...old, fullScreen: false, zoom: 1 })
})

test('zoom goes step by step and stays within its limits', () => {
  expect(zoomed(1, 'in')).toBe(1.1)
  // As Chromium reports 0.9.
  expect(zoomed(0.900_000_036, 'out')).toBe(0.8)
  expect(zoomed(2.5, 'reset')).toBe(1)
  expect(zoomed(3, 'in')).toBe(3)
  expect(zoomed(0.5, 'out')).toBe(0.5)
})

describe('placing the window', () => {
  test('centers the first window on the primary display', () => {
    expect(placeWindow(null, [laptop, monitor])).toEqual({
      ...usual,
      bounds: boundsOf(80, 53, 1_280, 820),
    })
  })

  test('keeps the place if its display still exists', () => {
    const saved = {
      bounds: boundsOf(2_000, 100),
      maximized: true,
      fullScreen: true,
      zoom: 1.25,
    }
    expect(placeWindow(saved, [laptop, monitor])).toEqual(saved)
  })

  test.each<[string, Parameters<typeof boundsOf>, Parameters<typeof boundsOf>]>([
    ['from a missing display moves to the primary one, with its size', [2_000, 100], [220, 113]],
    ['whose right side is out of reach moves back', [1_400, 100], [220, 113]],
    [
      'is at least as large as the minimum, and fits its display',
      [0, 25, 9_000, 10],
      [0, 25, 1_440, SMALLEST_WINDOW.height],
    ],
  ])('a window %s', (_, saved, placed) => {
    const state = { ...usual, bounds: boundsOf(...saved) }
    expect(placeWindow(state, [laptop]).bounds).toEqual(boundsOf(...placed))
  })

  test('a window whose title bar is out of reach moves back', () => {
    const above = { ...usual, bounds: boundsOf(100, -300) }
    expect(placeWindow(above, [laptop]).bounds.y).toBeGreaterThanOrEqual(laptop.y)
  })

  test('creates a window even without a display', () => {
    expect(placeWindow(null, []).bounds.width).toBeGreaterThanOrEqual(SMALLEST_WINDOW.width)
  })
})
