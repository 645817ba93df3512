import type { Tensor } from '@stoker/formats'
import { tensorOf, withField } from '../fields.js'
import { resizeImage } from '../image/resize/index.js'
import type { Kernel, KernelOf } from '../kernel.js'
import { resizeBilinear } from '../resize.js'

type Params = Parameters<KernelOf<'resize'>>[0] & { readonly out?: 'float32' | 'uint8' }

export const resize: Kernel<Params> = ({ field, size, out = 'float32', ...options }) => {
  const { method = 'bilinear', antialias = false, preserveAspectRatio = false } = options
  const [height = 1, width = 1] = size
  const isPlain = method === 'bilinear' && !antialias && !preserveAspectRatio
  const run = (image: Tensor): Tensor => {
    if (isPlain) return resizeBilinear(image, [height, width], out)
    const resized = resizeImage(image, [height, width], { method, antialias, preserveAspectRatio })
    return out === 'uint8' ? rounded(resized) : resized
  }
  return (record) => withField(record, field, run(tensorOf(record, 'resize', field)))
}

/** To whole pixels within 0 and 255, half upwards; the spec's ROUNDABLE_METHODS says of which methods this may be asked. */
function rounded(image: Tensor): Tensor {
  if (!(image.data instanceof Float32Array)) return image
  const data = Uint8Array.from(image.data, (value) => (value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5))
  return { dtype: 'uint8', shape: image.shape, data }
}
