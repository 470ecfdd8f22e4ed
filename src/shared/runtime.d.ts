/** Globals that Node and browsers share, only for the tsconfig of `shared`. */
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
declare const AbortController: { new (): { readonly signal: AbortSignal; abort(): void } }
type AbortController = InstanceType<typeof AbortController>
declare function queueMicrotask(callback: () => void): void
declare function setTimeout(callback: () => void, ms: number): unknown
interface URL {
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
  readonly href: string
}
declare const URL: { new (url: string, base?: string): URL; canParse(url: string): boolean }
declare const TextDecoder: {
  new (
    label?: string,
    options?: { fatal?: boolean; ignoreBOM?: boolean },
  ): {
    decode(input?: Uint8Array, options?: { stream?: boolean }): string
  }
}
declare const TextEncoder: { new (): { encode(input: string): Uint8Array } }
declare function btoa(binary: string): string
declare function atob(base64: string): string
