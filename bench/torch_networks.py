"""Networks in PyTorch, each a usual building of its field, for torch_exports.py."""

import torch
from torch import nn
from torch.nn import functional as F


class Perceptron(nn.Module):
    """A classifier of features: norms of the batch between products."""

    def __init__(self):
        super().__init__()
        sizes = [512, 1024, 1024, 256, 10]
        layers = []
        for before, after in zip(sizes, sizes[1:]):
            layers += [nn.Linear(before, after), nn.BatchNorm1d(after), nn.ReLU(), nn.Dropout(0.1)]
        self.layers = nn.Sequential(*layers[:-3], nn.Softmax(-1))

    def forward(self, x):
        return self.layers(x)


class Residual(nn.Module):
    def __init__(self, width, step=1):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(width, width * step, 3, step, 1, bias=False), nn.BatchNorm2d(width * step), nn.ReLU(),
                                   nn.Conv2d(width * step, width * step, 3, 1, 1, bias=False), nn.BatchNorm2d(width * step))
        self.short = nn.Identity() if step == 1 else nn.Conv2d(width, width * step, 1, step)

    def forward(self, x):
        return F.relu(self.inner(x) + self.short(x))


class ResidualNet(nn.Module):
    """A small residual classifier of images (He et al., 2016)."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU(), Residual(32), Residual(32, 2), Residual(64),
                                    Residual(64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 100))

    def forward(self, x):
        return self.layers(x)


class Separable(nn.Module):
    """Depthwise blocks with squeeze and excitation (Howard et al., 2019)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 24, 3, 2, 1)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            "wide": nn.Sequential(nn.Conv2d(24, 96, 1), nn.BatchNorm2d(96), nn.Hardswish()),
            "deep": nn.Sequential(nn.Conv2d(96, 96, 5, 1, 2, groups=96), nn.BatchNorm2d(96), nn.Hardswish()),
            "gate": nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(96, 24, 1), nn.ReLU(), nn.Conv2d(24, 96, 1), nn.Hardsigmoid()),
            "thin": nn.Sequential(nn.Conv2d(96, 24, 1), nn.BatchNorm2d(24))}) for _ in range(4))

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            y = block["deep"](block["wide"](x))
            x = x + block["thin"](y * block["gate"](y))
        return x.mean((2, 3))


class UNet(nn.Module):
    """Segmentation: down, up by transposed convolution and by interpolation, with what was seen on the way (Ronneberger et al., 2015)."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([self.twice(3, 16), self.twice(16, 32), self.twice(32, 64)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(32, 16, 1))])
        self.after = nn.ModuleList([self.twice(64, 32), self.twice(32, 16)])
        self.last = nn.Conv2d(16, 2, 1)

    @staticmethod
    def twice(before, after):
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(4, after), nn.SiLU(), nn.Conv2d(after, after, 3, padding=1), nn.ReLU())

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        b = self.after[0](torch.cat([self.up[0](c), b], 1))
        return self.last(self.after[1](torch.cat([self.up[1](b), a], 1))).sigmoid()


class Encoder(nn.Module):
    """A text encoder with a mask of padding and mean pooling (Vaswani et al., 2017)."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(5000, 192), nn.Embedding(512, 192)
        layer = nn.TransformerEncoderLayer(192, 6, 768, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)

    def forward(self, ids, mask):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        x = self.layers(x, src_key_padding_mask=mask == 0)
        weights = mask.unsqueeze(-1).to(x.dtype)
        return F.normalize((x * weights).sum(1) / weights.sum(1).clamp(min=1e-6))


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return self.weight * (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


class Decoder(nn.Module):
    """A step of a language model with caches: root mean square norms, turned positions, grouped queries, gated products."""

    def __init__(self, layers=2, width=256, heads=8, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.words = nn.Embedding(4000, width)
        self.layers = nn.ModuleList(nn.ModuleDict({
            "norm": Norm(width), "q": nn.Linear(width, width, bias=False), "k": nn.Linear(width, groups * self.size, bias=False),
            "v": nn.Linear(width, groups * self.size, bias=False), "o": nn.Linear(width, width, bias=False), "norm2": Norm(width),
            "gate": nn.Linear(width, 3 * width, bias=False), "up": nn.Linear(width, 3 * width, bias=False),
            "down": nn.Linear(3 * width, width, bias=False)}) for _ in range(layers))
        self.last = Norm(width)
        self.register_buffer("rate", 1 / 10000 ** (torch.arange(0, self.size, 2) / self.size))

    def turned(self, x, at):
        angle = torch.cat([at[:, None] * self.rate] * 2, -1)
        low, high = x.chunk(2, -1)
        return x * angle.cos() + torch.cat([-high, low], -1) * angle.sin()

    def forward(self, ids, keys, values):
        x = self.words(ids)
        batch, count = ids.shape
        at = torch.arange(keys.shape[3], keys.shape[3] + count).to(x.dtype)
        new_keys, new_values = [], []
        for number, layer in enumerate(self.layers):
            y = layer["norm"](x)
            q, k, v = (layer[name](y).reshape(batch, count, -1, self.size).transpose(1, 2) for name in "qkv")
            q, k = self.turned(q, at), torch.cat([keys[number], self.turned(k, at)], 2)
            v = torch.cat([values[number], v], 2)
            new_keys.append(k)
            new_values.append(v)
            k, v = (z.repeat_interleave(self.heads // self.groups, 1) for z in (k, v))
            scores = (q @ k.transpose(-1, -2)) / self.size**0.5
            x = x + layer["o"]((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, count, -1))
            y = layer["norm2"](x)
            x = x + layer["down"](F.silu(layer["gate"](y)) * layer["up"](y))
        return self.last(x) @ self.words.weight.T, torch.stack(new_keys), torch.stack(new_values)


class Patches(nn.Module):
    """A transformer of images with a class token (Dosovitskiy et al., 2021)."""

    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 128, 16, 16)
        self.token, self.places = nn.Parameter(torch.randn(1, 1, 128)), nn.Parameter(torch.randn(1, 50, 128))
        self.norms = nn.ModuleList(nn.LayerNorm(128) for _ in range(7))
        self.attention = nn.ModuleList(nn.MultiheadAttention(128, 4, batch_first=True) for _ in range(3))
        self.products = nn.ModuleList(nn.Sequential(nn.Linear(128, 512), nn.GELU(approximate="tanh"), nn.Linear(512, 128)) for _ in range(3))
        self.head = nn.Linear(128, 1000)

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        for number in range(3):
            y = self.norms[2 * number](x)
            x = x + self.attention[number](y, y, y, need_weights=False)[0]
            x = x + self.products[number](self.norms[2 * number + 1](x))
        return self.head(self.norms[6](x)[:, 0])


class Speech(nn.Module):
    """Convolutions over time, then a recurrent network in both directions."""

    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(80, 128, 5, 2, 2), nn.BatchNorm1d(128), nn.ReLU(), nn.Conv1d(128, 128, 5, 2, 2), nn.LeakyReLU(0.1))
        self.recurrent = nn.LSTM(128, 96, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(192, 40)

    def forward(self, x):
        return self.head(self.recurrent(self.front(x).transpose(1, 2))[0]).log_softmax(-1)


class Series(nn.Module):
    """Forecasting: gated units over time, the last state, quantiles."""

    def __init__(self):
        super().__init__()
        self.recurrent = nn.GRU(16, 64, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 3 * 24))

    def forward(self, x):
        scale = x.abs().mean(1, keepdim=True) + 1e-3
        y = self.head(self.recurrent(x / scale)[0][:, -1]).reshape(-1, 24, 3)
        return torch.cumsum(F.softplus(y), -1) * scale[:, :, :1]


class Experts(nn.Module):
    """A mixture of experts, all computed and weighted by the best two, and an einsum (Shazeer et al., 2017)."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(128, 8)
        self.first, self.second = nn.Parameter(torch.randn(8, 128, 256) / 11), nn.Parameter(torch.randn(8, 256, 128) / 16)

    def forward(self, x):
        best, which = self.gate(x).topk(2, -1)
        weight = torch.zeros(x.shape[0], 8).scatter(1, which, best.softmax(-1))
        y = F.gelu(torch.einsum("bi,eih->beh", x, self.first))
        return torch.einsum("beh,eho,be->bo", y, self.second, weight)


class Boxes(nn.Module):
    """A detector's head: anchors, decoded boxes, the best scores first (Redmon et al., 2016)."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 32, 3, 4, 1), nn.SiLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.SiLU())
        self.head = nn.Conv2d(64, 3 * 9, 1)

    def forward(self, x):
        y = self.head(self.body(x))
        batch, _, rows, columns = y.shape
        y = y.view(batch, 3, 9, rows, columns).permute(0, 1, 3, 4, 2)
        row, column = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        centre = (y[..., :2].sigmoid() * 2 - 0.5 + torch.stack([column, row], -1)) * 8
        size = (y[..., 2:4].sigmoid() * 2) ** 2 * 16
        boxes = torch.cat([centre - size / 2, centre + size / 2], -1).reshape(batch, -1, 4)
        scores = (y[..., 4:5].sigmoid() * y[..., 5:].sigmoid()).reshape(batch, -1, 4)
        best, which = scores.max(-1)
        return boxes, best, which
