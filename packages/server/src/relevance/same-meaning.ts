/**
 * Everyday words of shops, offices and homes that people use for one another, in Chinese and English, a group a line. A word with
 * two meanings would find what nobody asked for: only such stand here as hardly have one. Phrases are recognized in questions.
 */
export const SAME_MEANING: readonly (readonly string[])[] = `
refund, money back, reimburse, reimbursement, 退款, 退钱, 退费
return, send back, give back, bring back, take back, 退货, 退回, 寄回, 归还, 还回
exchange, swap, replace, replacement, 换货, 更换, 调换, 换新
order, purchase, buy, bought, 订单, 下单, 购买, 选购
cancel, cancellation, call off, 取消, 撤销, 退订
delivery, deliver, shipping, ship, shipment, dispatch, courier, 快递, 配送, 送货, 发货, 物流, 寄送
parcel, package, packet, 包裹, 快件, 箱子, 纸箱, 外箱
postage, shipping cost, delivery charge, 运费, 邮费, 快递费
price, cost, fee, charge, tariff, 价格, 费用, 收费, 价钱, 花费, 资费, 工本费
pay, paid, payment, payable, 付款, 支付, 缴费, 交钱, 付钱, 交费, 掏钱, 缴纳, 付费, 出钱, 花钱, 要钱
free, complimentary, for nothing, no cost, without charge, free of charge, 免费, 不收费, 不要钱, 不花钱, 不用钱
discount, coupon, voucher, promo, promotion, cheaper, 优惠, 折扣, 优惠券, 打折, 减免
invoice, bill, receipt, slip, 发票, 票据, 账单, 收据, 小票, 凭证
subscription, subscribe, membership, member, 订阅, 套餐, 会员
renew, renewal, extend, extension, prolong, 续费, 续约, 续订, 续期, 续借, 延期, 延长
expire, expiry, expiration, run out, lapse, 过期, 到期, 失效
late, overdue, delay, delayed, behind schedule, 逾期, 迟到, 延误, 晚点, 超时, 超期
penalty, late fee, 罚款, 违约金, 滞纳金, 罚金, 扣分, a fine
deposit, 押金, 定金, 保证金
compensation, compensate, claim, payout, 赔偿, 赔付, 理赔, 补偿, 赔钱
insurance, insure, insured, cover, coverage, covered, protected, 保险, 投保, 保障, 承保
warranty, guarantee, 保修, 质保, 三包, 保修期
repair, fix, mend, repaired, maintenance, 维修, 修理, 报修, 修好, 检修, 保养
broken, break, broke, faulty, fault, defective, defect, damaged, damage, malfunction, failure, fail, crack, gave up, not working, stopped working, 故障, 损坏, 坏了, 破损, 失灵, 毛病, 弄坏, 质量问题, 压扁, 摔坏, 污损, 坏掉
lose, lost, loss, missing, misplace, disappear, vanish, 丢失, 遗失, 丢了, 弄丢, 不见了, 挂失, 搞丢, 落在
steal, stole, stolen, theft, thief, burglary, robbery, rob, 被盗, 盗窃, 被偷, 失窃, 偷走, 小偷
password, passcode, passphrase, credential, 密码, 口令
login, log in, logging in, logged in, sign in, signing in, signed in, log on, 登录, 登陆, 登入, 进不去, 登不上
register, registration, sign up, enrol, enroll, enrolment, apply, application, 注册, 报名, 登记, 申请, 办理
account, profile, 账号, 账户, 帐号, 帐户
authenticator, verification code, one time code, otp, 2fa, two factor, two step, 两步验证, 验证码, 动态码, 双因素, 二次验证, 身份验证
delete, remove, erase, wipe, deletion, removal, 删除, 删掉, 移除, 清除, 误删
restore, recover, recovery, undelete, restoration, 恢复, 找回, 还原, 复原
backup, back up, snapshot, 备份, 快照
lock, locked, block, blocked, suspend, suspended, disabled, deactivate, ban, 锁定, 封号, 停用, 冻结, 禁用, 暂停
slow, sluggish, lag, throttle, throttled, rate limit, 限流, 卡顿, 太慢, 很慢, 限速
error, exception, fails, 报错, 错误, 出错, 异常
upgrade, update, newer version, 升级, 更新, 新版本
install, installation, set up, setup, mount, 安装, 装上, 部署
restart, reboot, turn off and on, 重启, 重新启动
reset, factory settings, 重置, 恢复出厂, 初始化
switch on, turn on, power on, start up, 开机, 启动
switch off, turn off, power off, shut down, power down, 关机, 关闭, 断电
charger, recharge, battery, 充电, 电池, 电量, 没电
wifi, wireless, internet, network, broadband, 无线网, 网络, 上网, 联网, 宽带, 连网
app, software, 软件, 客户端
server, 服务器, 主机
leak, leaked, compromised, exposed, expose, breach, disclose, 泄露, 外泄, 泄漏
secret, private key, token, api key, 密钥, 私钥, 令牌
revoke, revocation, withdraw, invalidate, 吊销, 撤回, 作废
share, sharing, 分享, 共享
permission, access, privilege, authorize, authorised, 权限, 授权
allowed, permitted, entitled, 许可, 准许, 允许
administrator, admin, owner, 管理员
colleague, coworker, teammate, staff, employee, worker, 同事, 员工, 职工, 职员
boss, manager, supervisor, line manager, 主管, 上级, 领导, 经理, 老板
quit, resign, resignation, leave the company, left the company, 离职, 辞职, 走人
hire, hired, joined, onboarding, new joiner, newcomer, 入职, 新员工, 新人
salary, wage, pay cheque, paycheck, payroll, earnings, 工资, 薪水, 薪资, 薪酬, 发钱, 扣钱, 扣款, 扣工资
bonus, 奖金, 年终奖
vacation, holiday, annual leave, time off, day off, days off, leave, 年假, 休假, 放假, 年休假, 请假
sick leave, sick, ill, illness, unwell, fever, flu, 病假, 生病, 因病, 发烧, 感冒, 不舒服, 身体不适
maternity, paternity, childbirth, pregnant, pregnancy, newborn, parental leave, 产假, 陪产假, 生育, 怀孕, 孕期, 孕妇, 生孩子, 育儿假
wedding, marry, married, marriage, 婚假, 结婚
bereavement, funeral, passed away, death, died, deceased, 丧假, 去世, 后事, 过世, 奔丧, 葬礼
overtime, extra hours, 加班, 加点
remote, work from home, home office, telework, 远程, 居家办公, 在家办公, 远程办公
attendance, clock in, punch in, 考勤, 打卡, 补卡
business trip, travel expense, 出差, 差旅
expense, expense report, 报销, 费用报销
taxi, cab, 打车, 出租车, 网约车
flight, plane, airplane, airline, 航班, 飞机, 机票
seat, cabin, business class, premium economy, 座位, 舱位, 商务舱, 席位
luggage, baggage, suitcase, rucksack, backpack, 行李, 行李箱, 背包
hotel, accommodation, lodging, room, 酒店, 住宿, 宾馆, 旅馆
check in, check-in, arrival, 入住, 签到, 报到
check out, departure, 退房, 离店
reserve, reservation, appointment, 预约, 预订, 预定, 订位, 约时间, to book, book a, book an
reschedule, move the date, postpone, change the date, 改期, 改约, 改签, 延后, 推迟
ticket, admission, entry, entrance, 门票, 票价, 入场, 入馆
opening hours, open, opening times, business hours, 营业时间, 开放时间, 开门, 几点开, 开馆
closed, close, shut, 闭馆, 关门, 停业
weekend, saturday, sunday, 周末, 周六, 周日, 星期六, 星期天, 礼拜天, 礼拜六
bank holiday, public holiday, festive, 节假日, 法定节假日, 节日, 过节
night, nighttime, evening, overnight, at night, 夜间, 晚上, 半夜, 夜里, 凌晨
morning, early, 早上, 清晨, 上午, 一大早
car, vehicle, automobile, 车辆, 汽车, 轿车, 私家车
parking, park, parking space, car park, parking lot, 停车, 停车位, 车位, 停车场
bicycle, bike, cycle, e-bike, ebike, 自行车, 单车, 电动车, 脚踏车
petrol, fuel, gas, diesel, refuel, 加油, 油费, 燃油, 汽油
toll, motorway, 过路费, 高速费
accident, crash, collision, 事故, 车祸, 碰撞, 剐蹭
driver, driving licence, licence, license, 驾照, 驾驶证, 驾驶员, 司机
child, children, kid, kids, son, daughter, infant, baby, toddler, 儿童, 孩子, 小孩, 儿子, 女儿, 宝宝, 婴儿, 未成年人, 小朋友
parent, mother, father, mum, dad, 父母, 爸爸, 妈妈, 家长, 父亲, 母亲
wife, husband, spouse, partner, 配偶, 老婆, 老公, 妻子, 丈夫, 爱人
grandparent, grandfather, grandmother, grandma, grandpa, 祖父母, 爷爷, 奶奶, 外公, 外婆, 姥姥, 姥爷
elderly, senior, seniors, pensioner, retired, 老人, 老年人, 长者, 退休
student, pupil, undergraduate, graduate, 学生, 本科生, 研究生, 同学
teacher, instructor, tutor, 老师, 教师, 教练, 讲师
class, lesson, course, lecture, 课程, 上课, 课时, 授课
exam, examination, assessment, 考试, 测验, 考核
certificate, diploma, proof, certification, 证书, 证明, 结业证
guest, visitor, companion, accompany, bring along, 访客, 来访, 客人, 陪同, 陪伴, 同伴
pet, pets, dog, cat, puppy, kitten, 宠物, 狗狗, 猫咪, 小狗, 小猫, 养狗, 养猫
vet, veterinary, 兽医, 宠物医院
vaccine, vaccination, vaccinate, jab, immunisation, 疫苗, 接种, 打针, 预防针
doctor, physician, gp, nurse, clinician, 医生, 大夫, 医师, 护士
hospital, clinic, 医院, 诊所, 门诊
prescription, medicine, medication, drug, pills, tablets, refill, 处方, 药品, 药物, 开药, 吃药, 配药
emergency, urgent, injury, injured, ankle, wound, bleeding, 急诊, 紧急, 受伤, 急救, 抢救
checkup, check-up, health check, screening, physical examination, 体检, 健康检查, 检查身体, 查身体
blood test, blood sample, fasting, 抽血, 验血, 空腹, 采血
menstruation, menstrual, 月经, 经期, 生理期, 例假
pain, ache, hurt, sore, 疼痛, 酸痛
allergy, allergic, 过敏
用餐, 餐费, 餐食, 就餐, meal, dining
smoke, smoking, cigarette, 吸烟, 抽烟, 香烟
noise, noisy, loud, quiet, disturb, 噪音, 噪声, 吵闹, 扰民, 安静
clean, cleaning, wash, wipe, rinse, 清洁, 清洗, 打扫, 擦拭, 清理
rubbish, garbage, trash, waste, litter, recycle, recycling, 垃圾, 废弃物, 回收
renovation, renovate, refurbish, decorate, construction, drilling, 装修, 施工, 翻新, 电钻, 装潢
landlord, tenant, rent, rental, lease, 房东, 租客, 租金, 租赁, 房租, 承租, 出租
resident, household, neighbour, neighbor, homeowner, 业主, 住户, 居民, 邻居
electricity, power cut, blackout, power outage, 停电, 电费, 用电
water leak, burst pipe, flooding, flood, plumbing, pipe, 漏水, 水管, 爆管, 渗水
lift, elevator, 电梯
key card, keycard, access card, badge, door card, swipe card, 门禁, 门禁卡, 门卡, 工牌, 通行证
locker, storage, cupboard, 储物柜, 寄存, 存放, 柜子, 仓储, 保管
laptop, notebook, computer, pc, 电脑, 笔记本, 计算机
phone, mobile, smartphone, cell phone, 手机
screen, display, 屏幕, 显示屏, 显示器
camera, photo, photograph, 照片, 拍照, 摄影, 相机
print, printer, copy, photocopy, scan, 打印, 复印, 扫描
file, document, documents, data, records, 文件, 文档, 资料, 数据
address, street, postcode, 地址, 住址, 收货地址
contact, call us, hotline, helpline, customer service, reach you, 客服, 联系, 热线, 联系电话, 找谁, 告诉谁
complain, complaint, feedback, 投诉, 反馈
report, notify, inform, let know, 报告, 通知, 上报, 告知, 汇报
deadline, due date, latest, cut-off, at the latest, 截止, 期限, 最晚, 最迟, 时限
notice, in advance, advance, beforehand, ahead of time, how early, 提前, 事先, 预先
limit, maximum, max, at most, cap, quota, 上限, 最多, 限额, 额度, 封顶
minimum, min, at least, lowest, 最少, 至少, 下限, 最低
weight, heavy, weigh, 重量, 公斤, 超重
size, dimension, measure, length, width, 尺寸, 尺码, 规格
temperature, degrees, 温度, 水温, 度数
borrow, loan, lend, check out a book, 借阅, 借书, 外借, 借出, 借用
library, 图书馆, 图书
reserve a book, waitlist, waiting list, queue, 排队, 等候, 预约, 留着, 候补
museum, exhibition, gallery, 博物馆, 展览, 展馆, 美术馆
swimming, swim, swimmer, 泳池, 游泳池, 游泳, 泳道, swimming pool
gym, fitness, workout, 健身, 健身房, 锻炼
railway, rail, 火车, 高铁, 列车, 铁路, by train, train ticket, train station
bus, shuttle, 公交, 大巴, 班车, 巴士
subway, metro, underground, tube, 地铁
meeting room, conference room, phone booth, 会议室, 电话亭, 洽谈室
private call, phone call, make a call, 打电话, 通话
travel, trip, journey, 旅行, 旅游, 出行
passport, id card, identity, identification, 身份证, 护照, 证件, 身份
customs, duty, import tax, 海关, 关税, 清关
tax, vat, gst, 税费, 增值税, 税号, 税率
bank transfer, wire, transfer, remittance, 转账, 汇款, 银行转账
credit card, debit card, bank card, card, 信用卡, 银行卡, 储蓄卡
declined, decline, turned down, rejected, refused, refuse, reject, 拒绝, 拒收, 被拒, 驳回, 不通过
approve, approval, sign off, agree, 审批, 批准, 同意
contract, agreement, terms, 合同, 协议, 条款
probation, trial, trial period, 试用期, 试用
workshop, 培训, training course
forbidden, prohibited, banned, not allowed, 禁止, 不准, 不许, 违规, 严禁
filter, strainer, 滤网, 滤芯, 过滤
warehouse, stock, inventory, out of stock, sold out, 仓库, 库存, 缺货, 断货, 售罄
gift, giveaway, freebie, 赠品, 礼物, 礼品
points, reward, rewards, loyalty, 积分, 奖励
balance, credit, top up, topup, 余额, 充值, 储值
privacy, personal data, 隐私, 个人信息
encrypt, encryption, 加密
logs, audit, 日志, 记录
monitor, alert, alarm, 监控, 告警, 报警, 警报
retry, try again, back off, backoff, 重试, 再试
export, download, 导出, 下载
import, upload, 导入, 上传
notification, reminder, remind, 提醒, 推送
wear, clothes, clothing, shoes, boots, footwear, 衣服, 衣物, 鞋子, 着装
fire, smoke alarm, 火灾, 着火, 起火, 消防
disabled access, wheelchair, accessible, 轮椅, 无障碍, 残疾人
abroad, overseas, foreign country, 出国, 境外, 国外, 海外
wrong, incorrect, mistake, typo, by accident, 填错, 写错, 弄错, 错误, 搞错
change, modify, edit, amend, alter, 修改, 更改, 变更
immediately, straight away, right away, at once, instantly, 立即, 马上, 立刻, 当场, 赶紧
working day, business day, weekday, workday, 工作日
submit, hand in, turn in, 提交, 上交, 递交
hand over, handover, transfer ownership, reassign, 移交, 交接, 转交, 转让
keep, retain, retention, 保留, 留存, 保存
carry over, roll over, unused, 结转, 累积, 没休完, 未休完
discard, dispose, throw away, throw out, 丢弃, 扔掉, 处置
wet, moisture, humid, got wet, water damage, 受潮, 进水, 潮湿, 泡水
overheat, overheating, too hot, 过热, 发热, 发烫
indicator, led, light, lamp, 指示灯, 灯亮, 闪灯, 亮灯
button, press, press and hold, 按钮, 按键, 长按
cable, cord, plug, socket, outlet, 线缆, 电源线, 插头, 插座
shift, roster, rota, schedule, 排班, 班次, 轮班, 倒班, 值班
on call, on-call, on duty, 值班
group, party of, team booking, 团体, 组团
age, years old, 年龄, 周岁, 岁数
uniform, dress code, outfit, 工服, 制服, 着装
dismiss, dismissal, fired, sacked, laid off, layoff, terminate, termination, 解雇, 开除, 辞退, 裁员, 解除劳动合同
absent, absence, no-show, show up, turn up, 缺勤, 旷工, 缺席, 爽约, 没来
signature, sign for, 签字, 签名, 签署, 签收
scratch, dent, 划痕, 刮花, 剐蹭
accessory, spare part, parts, component, 配件, 零件, 附件
manual, instructions, 说明书, 使用说明, 手册
breakdown, broke down, tow, towing, roadside, 拖车, 抛锚, 道路救援
mileage, kilometres, kilometers, miles, 里程, 公里数
alcohol, drunk, drinking, wine, beer, 饮酒, 酒后, 喝酒, 酒精
tuition, course fee, 学费
dormitory, dorm, 宿舍
lost property, lost and found, left behind, 失物招领, 遗失物品
instalment, installment, pay monthly, in parts, 分期, 分期付款
signal, reception, coverage, 信号
synchronise, synchronize, sync, 同步
invite, invitation, 邀请
endpoint, api, interface, 接口
deploy, deployment, release, rollout, go live, 发布, 上线, 部署
rollback, roll back, revert, 回滚, 回退
outage, downtime, incident, went down, is down, 宕机, 中断, 故障, 挂了
stop by, drop off, hand it in, collect, pick up, pickup, collection, 自提, 取件, 领取, 代收
wait, waiting time, waiting list, 等待, 等候, 排队
inspect, inspection, examine, 检查, 检测, 验收, 查验
cheque, cash, 现金, 支票
buyer, customer, client, shopper, 客户, 顾客, 买家
seller, vendor, merchant, shop, retailer, 商家, 卖家, 店铺, 商城, 商店
night shift, overnight, 夜班, 通宵
dead, death, die, died, 死亡, 身故, 去世
heating, heater, radiator, boiler, 暖气, 供暖, 取暖
air conditioner, air conditioning, aircon, 空调
fridge, refrigerator, freezer, 冰箱
washing machine, laundry, 洗衣机, 洗衣
furniture, sofa, table, chair, 家具, 桌椅
grace period, buffer, 宽限期, 缓冲期
`
  .trim()
  .split('\n')
  .map((line) => line.split(', '))
