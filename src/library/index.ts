/** `countersign`: everything in `countersign/signature` and `countersign/payloads`. */
export * from './payloads.ts'
export * from './signature.ts'
