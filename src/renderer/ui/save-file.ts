/** Downloads of bytes as a file. */

export function saveBytes(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  saveBlob(new Blob([bytes], { type: 'application/octet-stream' }), name)
}

/** Saves a blob as a file through the browser's download; it needn't fit into memory. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has read the URL by the time the next task runs.
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}
