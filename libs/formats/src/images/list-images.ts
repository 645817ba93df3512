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
 * @param files every object below the folder, sorted as a store lists them
 * @throws NoImages; ImageClassesUnknown when a given class has no folder and a folder no class, as after a slip
 */
export function listImages(
  folder: string,
  files: readonly ObjectStat[],
  { labels = 'inferred', classNames }: Pick<ImagesParams, 'labels' | 'classNames'>,
): ListedFile[] {
  const pathOf = ({ uri }: ObjectStat): string => uri.slice(folder.length)
  const images = files.filter((file) => isImage(pathOf(file)))
  if (images.length === 0) throw none(folder, files.length)
  if (labels === 'none') return inOrder(images, pathOf, () => -1)

  const found = new Set<string>()
  for (const image of images) {
    const path = pathOf(image)
    if (path.includes('/')) found.add(classOf(path))
  }
  if (found.size === 0) {
    throw NoImages(folder, `its ${images.length} images lie directly in it, not in a folder for each class`).with({
      place: { shard: folder },
      remedy: "put each class into a folder, or set labels: 'none'",
    })
  }
  const names = classNames ?? [...found].sort(compareUtf8)
  const labelOf = new Map(names.map((name, label) => [name, label]))
  const unnamed = [...found].filter((name) => !labelOf.has(name))
  const empty = names.filter((name) => !found.has(name))
  if (unnamed.length > 0 && empty.length > 0) {
    throw ImageClassesUnknown(shown(empty), folder, shown(unnamed)).with({ place: { shard: folder } })
  }
  return inOrder(images, pathOf, (path) => (path.includes('/') ? labelOf.get(classOf(path)) : undefined))
}

const isImage = (path: string): boolean => EXTENSION.test(path) && !/(^|\/)\./.test(path)
const classOf = (path: string): string => path.slice(0, path.indexOf('/'))
const shown = (names: readonly string[]): string => {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : ''
  return names.slice(0, 10).join(', ') + more
}

/** Files with their labels, those without one left out; within a folder they keep the order that they have. */
function inOrder(
  images: readonly ObjectStat[],
  pathOf: (file: ObjectStat) => string,
  labelOf: (path: string) => number | undefined,
): ListedFile[] {
  const folders = new Map<string, { readonly label: number; readonly folder: string; readonly files: ListedFile[] }>()
  for (const image of images) {
    const path = pathOf(image)
    const name = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const label = folders.get(name)?.label ?? labelOf(path)
    if (label === undefined) continue
    const own = folders.get(name) ?? { label, folder: name, files: [] }
    folders.set(name, own)
    own.files.push({ path, size: image.size, etag: image.etag, label })
  }
  const sorted = [...folders.values()].sort((a, b) => a.label - b.label || compareUtf8(a.folder, b.folder))
  return sorted.flatMap(({ files }) => files)
}

function none(folder: string, files: number) {
  const what = files === 0 ? 'nothing lies there' : `none of its ${files} files ends in .jpg, .png, .gif, .bmp or .webp`
  return NoImages(folder, what).with({ place: { shard: folder } })
}
