// Health check of the worker's image. A worker listens nowhere, but while its event loop turns it speaks to Redis every
// few seconds: it waits for tasks in calls of at most 5 s, and renews its locks as often. So it is well when Redis has
// heard from this address lately. (Two workers behind one address vouch for each other.)
import { connectRedis } from '@stoker/queue'

const HEARD_WITHIN_S = 30
const ASK_WITHIN_MS = 8_000

const { env } = process
const redis = connectRedis(env.STOKER_REDIS_URL || 'redis://127.0.0.1:6379', 'command')
setTimeout(() => end('Redis does not answer'), ASK_WITHIN_MS)
try {
  const me = fields(await redis.client('INFO'))
  const others = (await redis.client('LIST')).trim().split('\n').map(fields)
  const mine = others.filter(({ id, addr, name }) => id !== me.id && host(addr) === host(me.addr) && name !== me.name)
  const idle = Math.min(...mine.map((client) => Number(client.idle)))
  end(idle <= HEARD_WITHIN_S ? undefined : `Redis has not heard from the worker at ${host(me.addr)} for ${idle} s`)
} catch (error) {
  end(error.message)
}

/** `id=3 addr=10.0.0.7:52555 name=... idle=2 ...` as an object. */
function fields(line) {
  return Object.fromEntries(
    line
      .trim()
      .split(' ')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

function host(address) {
  return address.slice(0, address.lastIndexOf(':'))
}

function end(fault) {
  if (fault) process.stderr.write(`${fault}\n`)
  process.exit(fault ? 1 : 0)
}
