/** Saves the window's position, size and zoom, and fits them to the current displays. */
import { z } from 'zod'

interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const ZOOM_STEPS = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const

const LARGEST_ZOOM = 3

const pixels = z.number().int().min(-100_000).max(100_000)
const windowStateSchema = z.object({
  /** Position and size while the window is neither maximized nor full screen. */
  bounds: z.object({ x: pixels, y: pixels, width: pixels.min(1), height: pixels.min(1) }),
  maximized: z.boolean(),
  fullScreen: z.boolean().default(false),
  zoom: z.number().min(ZOOM_STEPS[0]).max(LARGEST_ZOOM).default(1),
})
export type WindowState = z.infer<typeof windowStateSchema>

export type ZoomStep = 'in' | 'out' | 'reset'

export function zoomed(factor: number, step: ZoomStep): number {
  if (step === 'reset') return 1
  // Chromium's factors have rounding errors.
  const tolerance = 0.005
  return step === 'in'
    ? (ZOOM_STEPS.find((zoom) => zoom > factor + tolerance) ?? LARGEST_ZOOM)
    : (ZOOM_STEPS.findLast((zoom) => zoom < factor - tolerance) ?? ZOOM_STEPS[0])
}

/** Minimum size in pixels. */
export const SMALLEST_WINDOW = { width: 720, height: 480 } as const
const DEFAULT_SIZE = { width: 1_280, height: 820 } as const
/** Pixels of the title bar that must stay within reach of the mouse. */
const REACHABLE_WIDTH = 120

export function parseWindowState(text: string): WindowState {
  return windowStateSchema.parse(JSON.parse(text))
}

/** Whether the user can grab the window's top edge. */
function isReachable(bounds: Rectangle, area: Rectangle): boolean {
  const topInside =
    bounds.y >= area.y && bounds.y < area.y + area.height - SMALLEST_WINDOW.height / 4
  const left = Math.max(bounds.x, area.x)
  const right = Math.min(bounds.x + bounds.width, area.x + area.width)
  return topInside && right - left >= REACHABLE_WIDTH
}

/**
 * Returns the saved bounds if they are on a display, else the default size, centered on the first
 * of the work areas.
 */
export function placeWindow(
  saved: WindowState | null,
  [primary = { x: 0, y: 0, ...DEFAULT_SIZE }, ...others]: readonly Rectangle[],
): WindowState {
  const requestedBounds = saved?.bounds ?? { x: 0, y: 0, ...DEFAULT_SIZE }
  const reachableArea = [primary, ...others].find(
    (area) => saved !== null && isReachable(saved.bounds, area),
  )
  const area = reachableArea ?? primary
  const fitted = (side: 'width' | 'height') =>
    Math.max(Math.min(requestedBounds[side], area[side]), SMALLEST_WINDOW[side])
  const [width, height] = [fitted('width'), fitted('height')]
  const centered = {
    x: area.x + Math.round((area.width - width) / 2),
    y: area.y + Math.round((area.height - height) / 2),
  }
  const { x, y } = reachableArea === undefined ? centered : requestedBounds
  return {
    maximized: false,
    fullScreen: false,
    zoom: 1,
    ...saved,
    bounds: { x, y, width, height },
  }
}
