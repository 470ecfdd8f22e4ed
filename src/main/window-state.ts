/** Where the window stood when it was closed, kept beside the data and made to fit the displays that are there today. */
import { z } from 'zod'

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const pixels = z.number().int().min(-100_000).max(100_000)
const windowStateSchema = z.object({
  bounds: z.object({ x: pixels, y: pixels, width: pixels.min(1), height: pixels.min(1) }),
  maximized: z.boolean(),
})
export type WindowState = z.infer<typeof windowStateSchema>

/** Below this the interface has not been made to work, in pixels. */
export const SMALLEST = { width: 720, height: 480 } as const
const USUAL = { width: 1_280, height: 820 } as const
/** So much of the title bar must be in reach of the mouse, in pixels. */
const REACHABLE = 120

/** The state as it was written; null where the text is not one (a first start, a file that was cut short). */
export function parseWindowState(text: string): WindowState | null {
  try {
    return windowStateSchema.parse(JSON.parse(text))
  } catch {
    // Whatever is wrong with it, a window in its usual place is the right answer.
    return null
  }
}

function overlap(from: number, length: number, otherFrom: number, otherLength: number): number {
  return Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom)
}

/** Is the window's top edge where the user can take hold of it? */
function isReachable(bounds: Rectangle, area: Rectangle): boolean {
  const topInside = bounds.y >= area.y && bounds.y < area.y + area.height - SMALLEST.height / 4
  return topInside && overlap(bounds.x, bounds.width, area.x, area.width) >= REACHABLE
}

/**
 * Bounds for a new window: the saved ones where they are still on a display, else the usual size in the middle of the
 * primary one. `areas` are the work areas of the displays, the primary first.
 */
export function placeWindow(saved: WindowState | null, areas: readonly Rectangle[]): WindowState {
  const primary = areas[0] ?? { x: 0, y: 0, ...USUAL }
  const home = saved === null ? undefined : areas.find((area) => isReachable(saved.bounds, area))
  const area = home ?? primary
  const wanted = saved?.bounds ?? { x: 0, y: 0, ...USUAL }
  const width = Math.min(Math.max(wanted.width, SMALLEST.width), Math.max(area.width, SMALLEST.width))
  const height = Math.min(Math.max(wanted.height, SMALLEST.height), Math.max(area.height, SMALLEST.height))
  const place =
    home === undefined
      ? { x: area.x + Math.round((area.width - width) / 2), y: area.y + Math.round((area.height - height) / 2) }
      : { x: wanted.x, y: wanted.y }
  return { bounds: { ...place, width, height }, maximized: saved?.maximized ?? false }
}
