/** The repository's setup file; apart from its schema, which no quick command waits for. */
export const SETUP_FILE = 'countersign.json'
/** Largest setup file, in bytes. */
export const SETUP_FILE_BYTES = 1_048_576
/** Most bytes of all named requests that a setup names. */
export const SETUP_REQUESTS_BYTES = 16 * 1_048_576
