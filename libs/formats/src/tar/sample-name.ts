export interface SampleName {
  /** Name up to the first dot of its last part, its bytes as characters. */
  readonly key: string
  /** What follows that dot, in lower case. */
  readonly extension: string
}

/**
 * Which sample a file belongs to, and as what; undefined for files that belong to none: without a dot, or below a name
 * in double underscores (`__meta__`). Source: base_plus_ext and skip_meta in webdataset 1.0.2, tariterators.py.
 */
export function sampleName(name: string): SampleName | undefined {
  if (/^__[^/]*__($|\/)/.test(name)) return undefined
  const [, key, extension] = /^((?:[^\n]*\/|)[^.]+)[.]([^/]*)$/.exec(name) ?? []
  if (key === undefined || extension === undefined) return undefined
  return { key, extension: Buffer.from(extension, 'latin1').toString().toLowerCase() }
}
