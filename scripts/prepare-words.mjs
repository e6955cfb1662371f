// What a first start says before there is a server, in the language that the server will speak.

/** As the server decides it: `PARLEY_LANGUAGE`, else the locale where it is one of the two, else Chinese. */
export function languageOf(environment) {
  const { PARLEY_LANGUAGE, LC_ALL, LC_MESSAGES, LANG } = environment
  const tags = [PARLEY_LANGUAGE, LC_ALL || LC_MESSAGES || LANG]
  return (
    tags
      .map((tag) =>
        /^(zh|en)\b|^(zh|en)_/i
          .exec(tag ?? '')?.[0]
          .slice(0, 2)
          .toLowerCase(),
      )
      .find(Boolean) ?? 'zh'
  )
}

export function prepareWords(environment) {
  return WORDS[languageOf(environment)]
}

const WORDS = {
  en: {
    install: { start: 'Installing what it runs on (once)', all: 'Installing packages (once, one to three minutes)' },
    compile: 'Compiling what has changed',
    build: (parts) => `Building what has changed (${parts.join(', ')})`,
    since: (title, seconds) => `${title} … ${seconds} s`,
    done: (title, seconds) => `${title}: done in ${seconds} s`,
    failed: (title) => `${title}: failed`,
    buildFailed: (output) => `The build failed:\n${output}`,
    notWritable: (place) =>
      `Cannot write to ${place}. Parley installs its packages there; make it writable and try again.`,
    oldNode: (version) =>
      `Parley needs Node 24 or newer; this is ${version}. Install it from nodejs.org and run the same command again.`,
    noRegistry:
      'The package registry cannot be reached. Check the network or the proxy settings (npm config get registry), then run the same command again.',
    diskFull: 'The disk is full. Parley needs about 1 GB for its packages.',
    details: (log) => `Details: ${log}`,
    installFailed: (output) => `npm install failed:\n\n${output}`,
  },
  zh: {
    install: { start: '正在安装运行所需的软件包（仅一次）', all: '正在安装全部软件包（仅一次，约一到三分钟）' },
    compile: '正在编译有改动的部分',
    build: (parts) => `正在构建有改动的部分（${parts.join('、')}）`,
    since: (title, seconds) => `${title} … ${seconds} 秒`,
    done: (title, seconds) => `${title}：完成，用时 ${seconds} 秒`,
    failed: (title) => `${title}：失败`,
    buildFailed: (output) => `构建失败：\n${output}`,
    notWritable: (place) => `无法写入 ${place}。Parley 的软件包安装在那里；请使其可写后重试。`,
    oldNode: (version) =>
      `Parley 需要 Node 24 或更新的版本，当前为 ${version}。请从 nodejs.org 安装后重新运行同一命令。`,
    noRegistry: '无法连接软件包仓库。请检查网络或代理设置（npm config get registry），然后重新运行同一命令。',
    diskFull: '磁盘已满。Parley 的软件包约需 1 GB。',
    details: (log) => `详情：${log}`,
    installFailed: (output) => `npm install 失败：\n\n${output}`,
  },
}
