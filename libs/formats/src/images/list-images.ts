import type { ImagesParams } from '@stoker/spec'
import { compareUtf8, type ObjectStat } from '@stoker/storage'
import { ImageClassesUnknown, NoImages } from '../error-table.js'
import type { ListedFile } from './manifest.js'

/** Kinds that decodeImage reads. Their bytes choose the decoder: a PNG named .jpg is a PNG. */
const EXTENSION = /\.(jpe?g|png|gif|bmp|webp)$/i

/**
 * The images of a folder and their labels, in the order of keras.utils.image_dataset_from_directory: class by class,
 * folder by folder, names by their UTF-8 bytes. Unlike there, hidden files and folders are left out at any depth, and a
 * folder without images is no class.
 *
 * @param files every object below the folder
 * @throws NoImages; ImageClassesUnknown when a given class has no folder and a folder no class, as after a slip
 */
export function listImages(
  folder: string,
  files: readonly ObjectStat[],
  { labels = 'inferred', classNames }: Pick<ImagesParams, 'labels' | 'classNames'>,
): ListedFile[] {
  const images = files
    .map(({ uri, size, etag }) => ({ path: uri.slice(folder.length), size, etag }))
    .filter(({ path }) => EXTENSION.test(path) && !path.split('/').some((name) => name.startsWith('.')))
  if (images.length === 0) throw none(folder, files.length)
  if (labels === 'none') return inOrder(images.map((image) => ({ ...image, label: -1 })))

  const inFolders = images.filter(({ path }) => path.includes('/'))
  if (inFolders.length === 0) {
    throw NoImages(folder, `its ${images.length} images lie directly in it, not in a folder for each class`).with({
      place: { shard: folder },
      remedy: "put each class into a folder, or set labels: 'none'",
    })
  }
  const found = [...new Set(inFolders.map(({ path }) => classOf(path)))].sort(compareUtf8)
  const names = classNames ?? found
  const labelOf = new Map(names.map((name, label) => [name, label]))
  const unnamed = found.filter((name) => !labelOf.has(name))
  const empty = names.filter((name) => !found.includes(name))
  if (unnamed.length > 0 && empty.length > 0) {
    throw ImageClassesUnknown(shown(empty), folder, shown(unnamed)).with({ place: { shard: folder } })
  }
  return inOrder(
    inFolders.flatMap((image) => {
      const label = labelOf.get(classOf(image.path))
      return label === undefined ? [] : [{ ...image, label }]
    }),
  )
}

const classOf = (path: string): string => path.slice(0, path.indexOf('/'))
const shown = (names: readonly string[]): string => {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : ''
  return names.slice(0, 10).join(', ') + more
}

function inOrder(files: ListedFile[]): ListedFile[] {
  return files
    .map((file) => ({ file, cut: Math.max(0, file.path.lastIndexOf('/')) }))
    .sort(
      (a, b) =>
        a.file.label - b.file.label ||
        compareUtf8(a.file.path.slice(0, a.cut), b.file.path.slice(0, b.cut)) ||
        compareUtf8(a.file.path, b.file.path),
    )
    .map(({ file }) => file)
}

function none(folder: string, files: number) {
  const what = files === 0 ? 'nothing lies there' : `none of its ${files} files ends in .jpg, .png, .gif, .bmp or .webp`
  return NoImages(folder, what).with({ place: { shard: folder } })
}
