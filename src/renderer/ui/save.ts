/** Saves bytes as a file, by the browser's own download. */
export function saveBytes(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has taken the address by the time the next task runs.
  setTimeout(() => {
    URL.revokeObjectURL(address)
  }, 1_000)
}
