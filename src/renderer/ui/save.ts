/** Saves bytes as a file through the browser's download. */
export function saveBytes(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  saveBlob(new Blob([bytes], { type: 'application/octet-stream' }), name)
}

/** The same for a blob, which is never in memory as a whole. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has read the URL by the time the next task runs.
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}
