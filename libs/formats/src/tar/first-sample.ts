import { MemberReader } from './members.js'
import { sampleName } from './sample-name.js'

const MOST_HEADERS = 1000

/**
 * Extensions that the first sample of a tar has, in their order.
 * @param bytesAt bytes of the tar, fewer at its end
 */
export async function firstExtensions(
  bytesAt: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<string[]> {
  const members = new MemberReader(0)
  const extensions = new Set<string>()
  let key: string | undefined
  for (let header = 0; header < MOST_HEADERS && !members.isOver; header++) {
    const bytes = await bytesAt(members.at, members.need)
    const member = bytes.length < members.need ? 'the tar ends' : members.take(bytes)
    if (typeof member === 'string') break
    const name = member?.isFile ? sampleName(member.name) : undefined
    if (!name) continue
    key ??= name.key
    if (name.key !== key) break
    if (name.extension !== '') extensions.add(name.extension)
  }
  return [...extensions]
}
