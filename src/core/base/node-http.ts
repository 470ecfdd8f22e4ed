/** Node's `node:http`; an import would load undici, for tens of milliseconds. */
export const { createServer, maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http')
