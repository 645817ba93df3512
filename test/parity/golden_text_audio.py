"""Text ops (tf.strings, tf.lookup), WAV decoding, tf.signal, and the array ops of the same table."""

import base64
import struct

import numpy as np
import tensorflow as tf

from golden_io import reason, write_json


def b64(data):
    return base64.b64encode(data).decode()


def texts(tensor):
    return [b64(one) for one in np.asarray(tensor).reshape(-1).tolist()]


TEXTS = [
    b"", b" ", b"a", b"  two  words ", b"a b c d", b"tab\tand\nnewline\x0b\x0c\r.", b"a,b,,c,", b",", b",,", b"one,two",
    b"a<>b<><>c", "Größe ÄÖÜ ß".encode(), "ΣΊΣΥΦΟΣ ΟΔΟΣ".encode(), "İstanbul ı".encode(), "ﬁn ǅ".encode(), "日本語 テキスト".encode(),
    "naïve café\u0301".encode(), "😀 emoji 👩‍👩‍👧".encode(), "\u00a0nbsp\u2003em".encode(), b"\xff\xfe bad \x80", b"caf\xc3", b"NUL\0in",
    b"The Quick BROWN fox, 42 times; 3.14!", b"aaa", b"foo@bar.com, x.y+z@mail.example.org", b"<p>Hello <b>World</b></p>",
]
SPLITS = [("", -1), ("", 0), ("", 1), ("", 2), (",", -1), (",", 0), (",", 1), (",", 2), ("<>", -1), (" ", -1), (" ", 2), ("ö", -1)]
REGEXES = [
    ("[^a-z]+", " ", True), ("a*", "x", True), ("a*", "x", False), ("", "-", True), ("^", ">", True), ("$", "<", True),
    (r"\b", "|", True), (r"(\w+)@(\w+)\.com", r"\2 at \1", True), (r"<[^>]*>", "", True), (r"(?i)THE|fox", r"[\0]", True),
    (r"\d+(\.\d+)?", "#", True), (r"\d+(\.\d+)?", "#", False), (r"[[:punct:]]", r"\\", True), (r"\p{Greek}+", "G", True), (r"\p{L}", "L", True),
    (".", "_", True), ("(a)|(b)", r"<\1\2>", True), (r"\s+", " ", True), ("(?s).*", "all", True), ("x*?", "y", True), ("[äöü]", "u", True),
    ("(?m)^.", "M", True), (r"\W", "", True), ("é?", "e", True), ("日|本", "J", True), (r"\C", "c", True), ("[^\\x00-\\x7F]", "?", True),
]
BAD_REGEXES = ["(", "a**", r"(a)\1", "(?<=a)b", "(?=a)", "[z-a]", r"\8", "*", "a{2000}"]
SUBSTRS = [(0, 3), (1, 2), (2, 100), (-2, 2), (-3, 1), (0, 0), (1, 0)]


def split_cases():
    for separator, most in SPLITS:
        ragged = tf.strings.split(TEXTS, separator if separator else None, maxsplit=most)
        yield {"separator": separator, "maxSplit": most, "output": [[b64(part) for part in row] for row in ragged.to_list()]}


def regex_cases():
    for pattern, rewrite, everywhere in REGEXES:
        outputs = []
        for text in TEXTS:
            try:
                outputs.append(b64(tf.strings.regex_replace(text, pattern, rewrite, replace_global=everywhere).numpy()))
            except tf.errors.OpError as error:
                outputs.append({"error": reason(error)})
        yield {"pattern": pattern, "rewrite": rewrite, "replaceGlobal": everywhere, "output": outputs}


def refused(pattern):
    try:
        tf.strings.regex_replace("a", pattern, "")
        return False
    except tf.errors.OpError:
        return True


def substr_cases():
    for unit in ["BYTE", "UTF8_CHAR"]:
        for pos, length in SUBSTRS:
            outputs = []
            for text in TEXTS:
                try:
                    outputs.append(b64(tf.strings.substr(text, pos, length, unit=unit).numpy()))
                except (tf.errors.OpError, UnicodeDecodeError):
                    outputs.append(None)
            yield {"pos": pos, "len": length, "unit": unit, "output": outputs}


def lookup_cases():
    words = [b"the", b"fox", b"dog", b"", b"unknown", "Größe".encode(), b"\xff", b"x" * 200]
    vocabulary = ["the", "fox", "", "dog", "Größe"]
    init = tf.lookup.KeyValueTensorInitializer(vocabulary, tf.range(len(vocabulary), dtype=tf.int64))
    ids = lambda table: [int(one) for one in table.lookup(tf.constant(words)).numpy()]
    return {
        "words": [b64(word) for word in words],
        "vocabulary": vocabulary,
        "static": ids(tf.lookup.StaticHashTable(init, -1)),
        "oov3": ids(tf.lookup.StaticVocabularyTable(init, 3)),
    }


def hash_cases():
    draw = np.random.default_rng(4)
    words = [bytes(draw.integers(0, 256, length, dtype=np.uint8)) for length in [*range(0, 70), 127, 128, 129, 255, 256, 1000, 5000]]
    return [
        {"word": b64(word), **{str(n): str(int(tf.strings.to_hash_bucket_fast(word, n).numpy())) for n in [1, 7, 1000, 2**62]}}
        for word in words
    ]


def write_text():
    write_json(
        "text.json",
        {
            "texts": [b64(text) for text in TEXTS],
            "split": list(split_cases()),
            "lower": texts(tf.strings.lower(TEXTS)),
            "upper": texts(tf.strings.upper(TEXTS)),
            "lowerUtf8": texts(tf.strings.lower(TEXTS, encoding="utf-8")),
            "upperUtf8": texts(tf.strings.upper(TEXTS, encoding="utf-8")),
            "strip": texts(tf.strings.strip(TEXTS)),
            "length": [int(one) for one in tf.strings.length(TEXTS).numpy()],
            "lengthUtf8": [int(one) for one in tf.strings.length(TEXTS, unit="UTF8_CHAR").numpy()],
            "regex": list(regex_cases()),
            "badRegex": {pattern: refused(pattern) for pattern in BAD_REGEXES},
            "substr": list(substr_cases()),
            "lookup": lookup_cases(),
            "hash": hash_cases(),
        },
    )


def wav(samples, rate=16000, bits=16, tag=1, fmt_extra=b"", before=b"", data_size=None):
    """samples: raw bytes of the data chunk, one channel unless told by fmt."""
    fmt = struct.pack("<HHIIHH", tag, 1, rate, rate * bits // 8, bits // 8, bits) + fmt_extra
    body = b"WAVE" + b"fmt " + struct.pack("<I", len(fmt)) + fmt + before
    body += b"data" + struct.pack("<I", len(samples) if data_size is None else data_size) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


def wav_cases():
    draw = np.random.default_rng(5)
    pcm = draw.integers(-32768, 32768, 40).astype("<i2")
    pcm[:4] = [-32768, 32767, 0, -1]
    stereo = tf.audio.encode_wav(draw.uniform(-1, 1, (21, 2)).astype(np.float32), 44100).numpy()
    files = {
        "mono": wav(pcm.tobytes()),
        "stereo": stereo,
        "list-before": wav(pcm.tobytes(), before=b"LIST" + struct.pack("<I", 6) + b"INFOxx"),
        "fmt18": wav(pcm.tobytes(), fmt_extra=b"\0\0"),
        "half-sample": wav(pcm.tobytes() + b"\1"),
        "empty": wav(b""),
    }
    wanted = [(-1, -1), (1, -1), (2, 10), (3, 60), (-1, 25)]
    for name, data in files.items():
        for channels, samples in wanted:
            case = {"name": name, "wav": b64(data), "desiredChannels": channels, "desiredSamples": samples}
            try:
                audio, rate = tf.audio.decode_wav(data, desired_channels=channels, desired_samples=samples)
            except tf.errors.OpError as error:
                yield {**case, "error": reason(error)}
                continue
            yield {**case, "rate": int(rate), "shape": list(audio.shape), "audio": b64(audio.numpy().astype("<f4").tobytes())}


def floats(tensor):
    """Shape and float32 bytes."""
    array = np.asarray(tensor, dtype="<f4")
    return {"shape": list(array.shape), "data": b64(array.tobytes())}


def signal_cases():
    draw = np.random.default_rng(6)
    time = np.arange(700) / 8000
    wave = (0.6 * np.sin(2 * np.pi * 440 * time) + 0.3 * np.sin(2 * np.pi * 1234.5 * time) + 0.05 * draw.normal(size=700)).astype(np.float32)
    framings = [(128, 64, None, False), (100, 50, None, True), (101, 40, 256, False), (1, 1, 2, False), (256, 300, 512, True), (700, 1, None, False),
                (701, 10, 1024, False)]
    frames = [{"frameLength": n, "frameStep": s, "padEnd": p, **floats(tf.signal.frame(wave, n, s, pad_end=p, pad_value=0.5))} for n, s, _, p in framings[:3] + framings[6:]]
    spectra = []
    for n, s, fft, pad in framings[:-1]:
        for window, fn in [("hann", tf.signal.hann_window), ("hamming", tf.signal.hamming_window), ("none", None)]:
            if n > 256 and window != "hann":
                continue
            stft = tf.signal.stft(wave[: n + 3 * s], n, s, fft_length=fft, window_fn=fn, pad_end=pad)
            spectra.append({"samples": n + 3 * s, "frameLength": n, "frameStep": s, "fftLength": fft, "padEnd": pad, "window": window, **floats(tf.abs(stft))})
    mels = []
    for rate, fft, bins, low, high in [(8000, 256, 20, 125.0, 3800.0), (16000, 512, 40, 20.0, 8000.0), (8000, 128, 80, 0.0, 4000.0)]:
        matrix = tf.signal.linear_to_mel_weight_matrix(bins, fft // 2 + 1, rate, low, high)
        power = tf.abs(tf.signal.stft(wave, fft // 2, fft // 4, fft_length=fft)) ** 2
        log_mel = tf.math.log(tf.tensordot(power, matrix, 1) + 1e-6)
        mels.append({"sampleRate": rate, "fftLength": fft, "numMelBins": bins, "lowerEdgeHertz": low, "upperEdgeHertz": high,
                     "logMel": floats(log_mel), "mfcc": floats(tf.signal.mfccs_from_log_mel_spectrograms(log_mel)[:, :13])})
    return {"wave": floats(wave), "frames": frames, "spectra": spectra, "mels": mels}


def array_cases():
    indices = np.array([0, 2, -1, 3, 4, 1], np.int32)
    grid = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    other = (np.arange(12, dtype=np.float32) * -1).reshape(2, 3, 2)
    values = np.array([-np.inf, -3.5, -0.0, 0.1, 0.30000001, 7, np.inf, np.nan], np.float32)
    logs = np.array([0, 1e-10, 1e-3, 0.5, 1, 3, 1e5, 1e20, -0.5, -0.999], np.float32)
    return {
        "indices": indices.tolist(),
        "oneHot": tf.one_hot(indices, 4).numpy().tolist(),
        "oneHotOnOff": tf.one_hot(indices, 3, on_value=5, off_value=-1, dtype=tf.int32).numpy().tolist(),
        "concat": floats(tf.concat([grid, other], axis=-1)),
        "concat0": floats(tf.concat([grid, grid * 2], axis=0)),
        "stack": floats(tf.stack([grid, grid * 2], axis=1)),
        "stackLast": floats(tf.stack([grid, grid * 2], axis=-1)),
        "clipInput": b64(values.tobytes()),
        "clip": b64(tf.clip_by_value(values, -1.0, 0.3).numpy().tobytes()),
        "log1pInput": b64(logs.tobytes()),
        "log1p": b64(tf.math.log1p(logs).numpy().tobytes()),
    }


def write():
    write_text()
    write_json("wav.json", list(wav_cases()))
    write_json("signal.json", signal_cases())
    write_json("arrays.json", array_cases())
