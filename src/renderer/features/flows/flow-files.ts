/** Exports a flow or run as a file: drawing and file name. */
import { drawMermaid } from '../../../shared/flow-diagram/mermaid.ts'
import { drawSvg } from '../../../shared/flow-diagram/svg.ts'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow-run.ts'

/** Renders the SVG on a canvas at twice its size. */
const SCALE = 2

/** Rejects if the browser can't draw it. */
async function drawPng(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  const picture = new Image()
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await picture.decode()
  const canvas = document.createElement('canvas')
  canvas.width = picture.naturalWidth * SCALE
  canvas.height = picture.naturalHeight * SCALE
  const context = canvas.getContext('2d')
  context?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png')
  })
  if (context === null || blob === null)
    throw new Error('The image is too large for this browser. Save it as SVG instead.')
  return new Uint8Array(await blob.arrayBuffer())
}

type DrawingFormat = 'svg' | 'png' | 'mermaid'
export type FlowFileFormat = DrawingFormat | 'html' | 'junit'

const endings: Readonly<Record<FlowFileFormat, string>> = {
  svg: 'svg',
  png: 'png',
  mermaid: 'mmd',
  html: 'html',
  junit: 'xml',
}

/** Rejects if the browser can't draw it. */
export async function drawingOf(
  format: DrawingFormat,
  drawn: FlowPlan | FlowRun,
): Promise<Uint8Array<ArrayBuffer>> {
  if (format === 'png') return drawPng(drawSvg(drawn))
  return new TextEncoder().encode(format === 'svg' ? drawSvg(drawn) : drawMermaid(drawn))
}

/** Includes the time of the run, if any: `purchase-visa-20261121113000.svg`. */
export function fileNameOf(format: FlowFileFormat, flow: string, run: FlowRun | null): string {
  const moment = run === null ? '' : `-${run.startedAt.slice(0, 19).replaceAll(/\D/g, '')}`
  return `${flow}${moment}.${endings[format]}`
}
