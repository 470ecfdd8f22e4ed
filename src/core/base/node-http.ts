/**
 * Node's `node:http`, loaded without its WebSocket client. Importing it as a module reads every export, and some of them load
 * undici, which costs each process that starts tens of milliseconds of processor time.
 */
export const { createServer, maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http')
