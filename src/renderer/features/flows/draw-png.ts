/** A drawing as a picture of pixels: the SVG on a canvas, twice as fine as it is laid out. */
const SCALE = 2

/** Rejects where the browser cannot draw it. */
export async function drawPng(svg: string): Promise<Uint8Array<ArrayBuffer>> {
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
    throw new Error('The picture is larger than this browser can draw. Save it as SVG instead.')
  return new Uint8Array(await blob.arrayBuffer())
}
