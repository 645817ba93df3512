import { expect, it } from 'vitest'
import { errorOf } from '../../src/client/problem.js'

const problem = (body: object, status: number) => new Response(JSON.stringify(body), { status })

it('names the command where the api names the route', async () => {
  const remedy = 'list the jobs there are with GET /v1/jobs'
  const error = await errorOf(problem({ code: 'STK_JOB_UNKNOWN', detail: 'there is no job x', remedy }, 404))
  expect(error.remedy).toContain('`stoker jobs`')
  expect(error.remedy).not.toContain('GET')
})

it('passes every other remedy and the place on', async () => {
  const told = { code: 'STK_X', detail: 'y', remedy: 'change z', place: { path: 'a.b' } }
  expect((await errorOf(problem(told, 400))).toJSON()).toMatchObject({ remedy: 'change z', place: { path: 'a.b' } })
})
