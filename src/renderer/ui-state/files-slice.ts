import type { FileKind } from '../../shared/model/file-kind.ts'
import type { FeatureTools } from './feature-tools.ts'
import { desktopFile, fileSentenceOf } from './user-file.ts'

export type FilesSlice = ReturnType<typeof createFilesSlice>

export function createFilesSlice({ client, capabilities, notify }: FeatureTools<object>) {
  return {
    /**
     * Opens the system's file dialog, null on cancel; the function itself is null in a browser.
     */
    choose: capabilities.desktop
      ? async (kind: FileKind) => {
          const { file } = await client.callNative('native.chooseFile', { kind })
          return file === null ? null : desktopFile(client, file)
        }
      : null,
    notOpened(error: unknown) {
      notify({ tone: 'bad', title: "Couldn't open the file", message: fileSentenceOf(error) })
    },
  }
}
